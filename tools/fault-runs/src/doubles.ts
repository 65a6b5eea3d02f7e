import { qtransform, Runtime } from '@cosi-ts/runtime';
import type { State } from '@cosi-ts/state';
import { Double, Thing } from './things.js';

const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

/** A runtime whose controller keeps a double of each thing. */
export function doublingRuntime(state: State): Runtime {
  const backoff = { initialMs: 50, maxMs: 500 };
  const runtime = new Runtime(state, { logger: silent, backoff, watchBackoff: backoff });
  runtime.register(
    qtransform({
      name: 'Doubler',
      input: Thing.kind,
      output: Double.kind,
      concurrency: 4,
      transform(draft, thing) {
        draft.spec.n = 2 * thing.spec.n;
      },
    }),
  );
  return runtime;
}

/** What is not yet as the controller is to make it. */
export async function undone(state: State): Promise<readonly string[]> {
  const [things, doubles] = await Promise.all([state.list(Thing.kind), state.list(Double.kind)]);
  const wanted = new Map(
    things.flatMap(({ metadata, spec }) => (metadata.phase === 'running' ? [[metadata.id, 2 * spec.n] as const] : [])),
  );
  const found = new Map(doubles.map(({ metadata, spec }) => [metadata.id, spec.n]));
  return [
    ...[...wanted].flatMap(([id, n]) => (found.get(id) === n ? [] : [`${id} has ${found.get(id)} instead of ${n}`])),
    ...[...found.keys()].flatMap((id) => (wanted.has(id) ? [] : [`${id} should be gone`])),
    ...things.flatMap(({ metadata }) =>
      metadata.phase === 'tearingDown' && metadata.finalizers.length > 0 ? [`${metadata.id} is still held`] : [],
    ),
  ];
}
