// Measures what a queue controller gets done, in a process of its own, and prints JSON. The Go implementation does the
// same with the same arguments:
//
//   queue RESOURCES CONCURRENCY
//   latency BACKLOG CONCURRENCY PER_SECOND SECONDS
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { ResourceType } from '@cosi-ts/resource';
import { qtransform, Runtime } from '@cosi-ts/runtime';
import { type State, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import type { QueueLatency, QueueRate } from './queue.js';
import { Machine, machine } from './subject.js';

const { namespace } = Machine;

/** What the controller makes of a machine. */
const Reflection = new ResourceType({ type: 'Reflections.bench.cosi.dev', namespace }, Machine.codec);

/** Runs a controller that copies each machine, and gives the ids of its outputs as they come. */
async function reflecting<T>(
  resources: number,
  concurrency: number,
  use: (state: State, outputs: AsyncIterable<string>) => Promise<T>,
): Promise<T> {
  // Nothing overruns: what is measured is the queue.
  const history = { maxEvents: resources * 4 + 1_000_000, maxBytes: Number.MAX_SAFE_INTEGER };
  const state = wrapState(new InMemoryState(namespace, { history }));
  for (let n = 0; n < resources; n++) await state.create(machine(`machine-${n}`, n));
  await using runtime = new Runtime(state);
  runtime.register(
    qtransform({
      name: 'Reflector',
      input: Machine.kind,
      output: Reflection.kind,
      concurrency,
      transform(draft, { spec }) {
        draft.spec = spec as never;
      },
    }),
  );
  const outputs = created(state);
  void runtime.run();
  return await use(state, outputs);
}

async function* created(state: State): AsyncGenerator<string> {
  for await (const events of await state.watchKindAggregated(Reflection.kind, { bootstrapContents: true })) {
    for (const event of events) if (event.type === 'created') yield event.resource.metadata.id;
  }
}

function through(resources: number, concurrency: number): Promise<QueueRate> {
  return reflecting(resources, concurrency, async (_state, outputs) => {
    const begin = performance.now();
    let seen = 0;
    for await (const _ of outputs) if (++seen === resources) break;
    return { perSecond: resources / ((performance.now() - begin) / 1000) };
  });
}

/** Creates machines at a rate, and measures how long it takes until each has its output, after a second of warming up. */
function latency(backlog: number, concurrency: number, perSecond: number, seconds: number): Promise<QueueLatency> {
  return reflecting(backlog, concurrency, async (state, outputs) => {
    const count = perSecond * (1 + seconds);
    const begun = new Map<string, number>();
    const create = async () => {
      const first = performance.now();
      for (let n = 0; n < count; n++) {
        const waitMs = first + (n / perSecond) * 1000 - performance.now();
        if (waitMs > 0) await sleep(waitMs);
        // Who is behind lets the others have their turns, too.
        else if (n % 8 === 0) await setImmediate();
        begun.set(`fresh-${n}`, performance.now());
        await state.create(machine(`fresh-${n}`, n));
      }
    };
    const creating = create();
    const latencies: number[] = [];
    for await (const id of outputs) {
      const at = begun.get(id);
      if (at === undefined) continue;
      latencies.push(performance.now() - at);
      if (latencies.length === count) break;
    }
    await creating;
    const measured = latencies.slice(perSecond).sort((a, b) => a - b);
    const part = (share: number) => measured[Math.floor(measured.length * share)] ?? Number.NaN;
    return { medianMs: part(0.5), p99Ms: part(0.99) };
  });
}

const [command, ...args] = process.argv.slice(2);
const [first = 0, concurrency = 1, perSecond = 0, seconds = 0] = args.map(Number);
const result = command === 'queue' ? through(first, concurrency) : latency(first, concurrency, perSecond, seconds);
console.log(JSON.stringify(await result));
