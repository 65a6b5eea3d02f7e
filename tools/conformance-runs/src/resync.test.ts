import { conformanceNamespace as namespace } from '@cosi-ts/conformance';
import { defineResource } from '@cosi-ts/resource';
import { destroy, qtransform, Runtime, transform } from '@cosi-ts/runtime';
import { type State, wrapState } from '@cosi-ts/state';
import { describe, expect, it, onTestFinished } from 'vitest';
import { durableRuns } from './durable.js';
import { localRuns, remoteRuns, type StateRun } from './states.js';

type Spec = { value: number };
const Numbers = defineResource<Spec>({ type: 'Numbers.resync.cosi.dev', namespace });
const Squares = defineResource<Spec>({ type: 'Squares.resync.cosi.dev', namespace });
const Cubes = defineResource<Spec>({ type: 'Cubes.resync.cosi.dev', namespace });

/** So many changes at once that a watch of a short history has no chance to keep up with them. */
async function burst(state: State, count: number, round: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      // Some go for good, some come again.
      if (i % 7 === round % 7) await state.teardown(Numbers.at(`${i}`)).catch(ignoreAbsence);
      else
        await state
          .modify(Numbers.at(`${i}`), (draft) => void Object.assign(draft.spec, { value: round + i }))
          .catch(ignoreAbsence);
    }),
  );
}

/** What tears down, or is gone by now, is not there to be changed. */
function ignoreAbsence(error: { readonly code?: string }): void {
  expect(error.code).toMatch(/^(not-found|phase-conflict)$/);
}

async function converged(state: State): Promise<void> {
  const view = async (kind: typeof Numbers.kind) =>
    new Map((await state.list(kind)).map(({ metadata, spec }) => [metadata.id, spec.value]));
  const numbers = await view(Numbers.kind);
  const powers = (exponent: number) => new Map([...numbers].map(([id, value]) => [id, value ** exponent]));
  expect((await state.list(Numbers.kind)).map(({ metadata }) => metadata.phase)).not.toContain('tearingDown');
  expect(await view(Squares.kind)).toEqual(powers(2));
  expect(await view(Cubes.kind)).toEqual(powers(3));
}

async function runOver({ factory }: StateRun): Promise<{ state: State; runtime: Runtime }> {
  const { state: core, dispose } = await factory();
  const state = wrapState(core);
  const runtime = new Runtime(core, {
    backoff: { initialMs: 5, maxMs: 20 },
    watchBackoff: { initialMs: 5, maxMs: 20 },
  });
  runtime.register(
    qtransform({
      name: 'Squarer',
      input: Numbers.kind,
      output: Squares.kind,
      concurrency: 8,
      transform(draft, input) {
        draft.spec.value = input.spec.value ** 2;
      },
    }),
  );
  runtime.register(
    transform({
      name: 'Cuber',
      input: Numbers.kind,
      output: Cubes.kind,
      inputFinalizers: true,
      transform(draft, input) {
        draft.spec.value = input.spec.value ** 3;
      },
    }),
  );
  runtime.register(destroy(Numbers.kind, { concurrency: 8 }));
  void runtime.run();
  onTestFinished(async () => {
    await runtime.close();
    await dispose?.();
  });
  return { state, runtime };
}

/** Each change is a journey through a server. */
const inputsOf = (run: StateRun) => (remoteRuns.includes(run) ? 20 : 300);

describe.each([...localRuns, ...durableRuns.slice(0, 1), ...remoteRuns])('controllers over $name', (run) => {
  it('C9, W13: lose nothing and are restarted by no watch, however short the history', async () => {
    const { state, runtime } = await runOver(run);
    const count = inputsOf(run);
    for (let round = 1; round <= 4; round++) await burst(state, count, round);
    await expect
      .poll(() => converged(state).then(() => 'converged'), { timeout: 90_000, interval: 20 })
      .toBe('converged');
    // The last changes can have been more than a watch could follow: it lists again then.
    await expect
      .poll(() => runtime.report().watches.map(({ status }) => status), { timeout: 10_000, interval: 20 })
      .toEqual(['live', 'live', 'live']);
    const { watches, controllers } = runtime.report();
    expect(controllers.map(({ status }) => status)).toEqual(['running', 'running', 'running']);
    if ((run.supports.overrunEvents ?? count) > 10) return;
    expect(watches.reduce((sum, { failures }) => sum + failures, 0)).toBeGreaterThan(0);
  }, 120_000);
});
