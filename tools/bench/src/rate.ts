import { median } from './report.js';

/** Does one thing; `n` is different for each. */
export type Act = (n: number, caller: number) => Promise<unknown>;

export interface Rate {
  readonly perSecond: number;
  readonly medianMs: number;
}

/** Lets so many callers act, each one thing after the other, for a time. */
export async function measure(callers: number, seconds: number, act: Act): Promise<Rate> {
  let n = 0;
  const run = async (ms: number, latencies?: number[]) => {
    const end = performance.now() + ms;
    await Promise.all(
      Array.from({ length: callers }, async (_, caller) => {
        for (let begin = performance.now(); begin < end; ) {
          await act(n++, caller);
          const now = performance.now();
          latencies?.push(now - begin);
          begin = now;
        }
      }),
    );
  };
  await run(500);
  const latencies: number[] = [];
  const begin = performance.now();
  await run(seconds * 1000, latencies);
  const took = performance.now() - begin;
  return { perSecond: latencies.length / (took / 1000), medianMs: median(latencies) };
}
