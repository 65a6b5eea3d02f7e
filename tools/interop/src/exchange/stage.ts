import type { GoPeer } from '../go-peer.js';
import type { ServedState } from '../our-servers.js';
import { directions, type Suite } from '../outcome.js';
import { runTests, type Test } from '../test-run.js';
import { GoSide } from './go-side.js';
import { OurSide } from './our-side.js';
import { PlainReader, type PlainWatch, type Side } from './side.js';

/** A fresh server and two programs that work with it, one of each implementation. */
export interface Stage {
  readonly server: ServedState;
  /** Who begins. */
  readonly first: Side;
  readonly second: Side;
  /** Both, Go's first. */
  readonly both: readonly [Side, Side];
  /** Watches until the end of the test. */
  watch(side: Side, watched: PlainWatch): Promise<PlainReader>;
}

export type Scenario = readonly [title: string, body: (stage: Stage) => Promise<void>];

/** A place to have servers made. */
export interface Servers {
  readonly direction: string;
  readonly backend: string;
  serve(): Promise<ServedState>;
}

/** Servers of either implementation. */
export function serversOf(
  peer: GoPeer,
  ours: { readonly backends: readonly string[]; serve(backend: string): Promise<ServedState> },
  goBackends: readonly string[],
): readonly Servers[] {
  return [
    ...ours.backends.map((backend) => ({ direction: directions.onOurs, backend, serve: () => ours.serve(backend) })),
    ...goBackends.map((backend) => ({ direction: directions.onGo, backend, serve: () => peer.serve(backend) })),
  ];
}

/** Runs each scenario twice on servers of one make: once with Go as the first, and once with us. */
export function exchangeSuite(
  name: string,
  scenarios: readonly Scenario[],
  peer: GoPeer,
  { direction, backend, serve }: Servers,
): Suite {
  const tests = scenarios.flatMap(([title, body]) =>
    (['Go', 'ours'] as const).map(
      (first): Test => ({
        title: `${title} (${first === 'Go' ? 'Go begins' : 'we begin'})`,
        body: () => onStage(peer, serve, first, body),
      }),
    ),
  );
  return { name, direction, backend, run: (onOutcome) => runTests(tests, testsAtOnce, onOutcome) };
}

const testsAtOnce = 4;

async function onStage(
  peer: GoPeer,
  serve: () => Promise<ServedState>,
  begins: Side['name'],
  body: (stage: Stage) => Promise<void>,
): Promise<void> {
  await using server = await serve();
  await using ours = new OurSide(server.address);
  await using go = new GoSide(peer, server.address);
  const readers: PlainReader[] = [];
  const [first, second] = begins === 'Go' ? [go, ours] : [ours, go];
  const watch = async (side: Side, watched: PlainWatch) => {
    const reader = new PlainReader(await side.watch(watched));
    readers.push(reader);
    return reader;
  };
  try {
    await body({ server, first, second, both: [go, ours], watch });
  } finally {
    for (const reader of readers) await reader.close();
  }
}
