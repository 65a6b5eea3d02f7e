import { isOutcomeUnknown } from '@cosi-ts/resource';
import { type CoreState, nextTurn, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { cleanup } from '../cleanup.js';
import { noOutputsLeft } from '../cleanup-handler.js';
import type { Controller } from '../controller.js';
import { InProcessElection } from '../election/in-process-election.js';
import { seededRandom } from '../election/testdata/host.js';
import { destroyReady, strong, weak } from '../inputs.js';
import { exclusive } from '../outputs.js';
import { qtransform } from '../qtransform.js';
import type { QueueController } from '../queue-controller.js';
import { eventually, Gate, harness, settled } from '../testdata/harness.js';
import { Cubes, Factors, Numbers, Squares } from '../testdata/kinds.js';
import { type Loss, losing } from '../testdata/losing-core.js';
import { transform } from '../transform.js';

/** Adds all numbers up, in one output, and notes what came of each pass. */
function summing(more: Partial<Controller> = {}): Controller {
  return {
    name: 'Summer',
    inputs: [weak(Numbers.kind)],
    outputs: [exclusive(Squares)],
    async run({ events, state }) {
      for await (const _ of events) {
        const numbers = await state.list(Numbers.kind);
        await state.modify(Squares.at('sum'), (draft) => {
          draft.spec.value = numbers.reduce((sum, { spec }) => sum + spec.value, 0);
        });
      }
    },
    ...more,
  };
}

function lossy(controllers: readonly (Controller | QueueController)[], more: Parameters<typeof harness>[1] = {}) {
  const inner = wrapState(new InMemoryState());
  const core = losing(inner.core);
  return { ...harness(controllers, { ...more, core: wrapState(core) }), inner, between: core };
}

describe('controllers whose answers get lost', () => {
  it.each<Loss>(['made', 'lost', 'late'])('C5: go on, none is started again (%s)', async (loss) => {
    const { inner, between, runtime, start, logger } = lossy([summing()]);
    between.losses.push(loss);
    void start();
    for (const [i, id] of ['a', 'b', 'c'].entries()) {
      await inner.create(Numbers.new(id, { value: 1 }));
      await eventually(async () => expect((await inner.get(Squares.at('sum'))).spec.value).toBe(i + 1));
      between.losses.push(loss);
    }
    expect(runtime.report().controllers).toMatchObject([{ restarts: 0, counts: { failed: 0 }, status: 'running' }]);
    expect(logger.at('error')).toEqual([]);
    // One for each write that had to be made again or looked for.
    expect(logger.at('warn').map(({ facts }) => facts.controller)).toContain('Summer');
  });

  it('C5: a change of its own is made again when what is stored does not tell, and is no change then', async () => {
    const runs: number[] = [];
    const { inner, between, runtime, start } = lossy([
      summing({
        async run({ events, state }) {
          for await (const _ of events) {
            await state.modify(Squares.at('sum'), (draft) => {
              runs.push(draft.spec.value ?? 0);
              draft.spec.value = 7;
            });
          }
        },
      }),
    ]);
    between.losses.push('made');
    // Another one has something to do with it at once.
    between.meanwhile = () => inner.addFinalizer(Squares.at('sum'), 'Holder');
    void start();
    await eventually(() => expect(runs).toEqual([0, 7]));
    await settled();
    expect((await inner.get(Squares.at('sum'))).metadata).toMatchObject({ version: 2n, finalizers: ['Holder'] });
    expect(runtime.report().controllers).toMatchObject([{ restarts: 0, counts: { failed: 0 } }]);
  });

  it('C5: a single write says that its outcome is not known, when it is not', async () => {
    const seen: unknown[] = [];
    const { inner, between, start } = lossy([
      summing({
        async run({ state }) {
          seen.push(await state.create(Squares.new('sum', { value: 1 })).catch((error: unknown) => error));
        },
      }),
    ]);
    between.losses.push('made');
    between.meanwhile = () => inner.addFinalizer(Squares.at('sum'), 'Holder');
    void start();
    await eventually(() => expect(seen).toHaveLength(1));
    expect(seen[0]).toSatisfy(isOutcomeUnknown);
  });

  it('C5: what nobody owns is not written again on a guess', async () => {
    const seen: unknown[] = [];
    const { inner, between, start } = lossy([
      summing({
        async run({ state }) {
          const change = state.modify(
            Squares.at('sum'),
            (draft) => {
              draft.spec.value = 1;
            },
            { owner: '' },
          );
          seen.push(await change.catch((error: unknown) => error));
        },
      }),
    ]);
    between.losses.push('made');
    // Its owner did not want it.
    between.meanwhile = () => inner.destroy(Squares.at('sum'));
    void start();
    await eventually(() => expect(seen).toHaveLength(1));
    expect(seen[0]).toSatisfy(isOutcomeUnknown);
    expect(await inner.list(Squares.kind)).toEqual([]);
  });

  it('S11: its finalizers come and go, whatever else happens to the input', async () => {
    const { inner, between, runtime, start } = lossy([
      summing({
        inputs: [strong(Numbers.kind)],
        async run({ events, state }) {
          for await (const _ of events) {
            for (const { metadata } of await state.list(Numbers.kind)) {
              if (metadata.phase === 'running') await state.addFinalizer(metadata);
              else await state.removeFinalizer(metadata);
            }
          }
        },
      }),
    ]);
    await inner.create(Numbers.new('a', { value: 1 }));
    let label = 0;
    between.meanwhile = () =>
      inner.updateWithConflicts(
        Numbers.at('a'),
        (draft) => {
          draft.metadata.labels.n = `${label++}`;
        },
        { expectedPhase: 'any' },
      );
    between.losses.push('made', 'lost');
    void start();
    await eventually(async () => expect((await inner.get(Numbers.at('a'))).metadata.finalizers).toEqual(['Summer']));
    between.losses.push('made', 'lost');
    await inner.teardown(Numbers.at('a'));
    await eventually(async () => expect((await inner.get(Numbers.at('a'))).metadata.finalizers).toEqual([]));
    expect(runtime.report().controllers).toMatchObject([{ restarts: 0, counts: { failed: 0 } }]);
  });

  it('C16: reads its own write from the cache, also when it found that made', async () => {
    const read: unknown[] = [];
    const hold = new Gate();
    const inner = wrapState(new InMemoryState());
    // Events of the output come late.
    const slow: CoreState = {
      ...losing(inner.core),
      async watchKindAggregated(kind, options) {
        const watch = await inner.core.watchKindAggregated(kind, options);
        if (kind.type !== Squares.type) return watch;
        let seen = 0;
        const next = watch.next.bind(watch);
        watch.next = async () => {
          const result = await next();
          if (seen++ > 0) await hold.opened;
          return result;
        };
        return watch;
      },
    };
    const between = losing(slow);
    const { start } = harness(
      [
        summing({
          async run({ events, state }) {
            for await (const _ of events) {
              await state.modify(Squares.at('sum'), (draft) => {
                draft.spec.value = 7;
              });
              read.push((await state.find(Squares.at('sum')))?.metadata.version);
            }
          },
        }),
      ],
      { core: wrapState(between), cached: [Squares.kind] },
    );
    between.losses.push('made');
    between.meanwhile = () => inner.addFinalizer(Squares.at('sum'), 'Holder');
    void start();
    await eventually(() => expect(read).toEqual([2n]));
    hold.open();
  });

  it('C18: who has lost its lease meanwhile does not write', async () => {
    const election = new InProcessElection();
    const { inner, between, start, logger } = lossy([summing({ needsLeader: true })], { leaderElection: election });
    between.losses.push('lost');
    const away = new Gate();
    between.meanwhile = async () => {
      election.revoke('Summer');
      await away.opened;
    };
    void start();
    await eventually(() => expect(between.calls).toContain('create'));
    const { length } = between.calls;
    away.open();
    await settled();
    // The next term begins with a look of its own.
    expect(between.calls.slice(length)[0]).toBe('get');
    expect(between.calls.filter((call) => call === 'create').length).toBeLessThanOrEqual(2);
    expect((await inner.get(Squares.at('sum'))).metadata.version).toBe(1n);
    expect(logger.at('error')).toEqual([]);
  });

  it('C5, Q5: of all kinds do what they are to, whatever gets lost, and none fails', { timeout: 30_000 }, async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const random = seededRandom(seed);
      const { inner, between, runtime, start, stop, clock } = lossy([
        summing({
          inputs: [weak(Numbers.kind), destroyReady(Squares.kind)],
          async run({ events, state, startTrackingOutputs, cleanupOutputs }) {
            for await (const _ of events) {
              startTrackingOutputs();
              const odd = (await state.list(Numbers.kind)).filter(({ metadata }) => metadata.phase === 'running');
              for (const { metadata, spec } of odd) {
                const at = Squares.at(`copy-${metadata.id}`);
                const old = await state.find(at);
                if (old?.metadata.phase === 'tearingDown' && !(await state.destroyIfReady(at))) continue;
                await state.modify(at, (draft) => {
                  draft.spec.value = spec.value;
                });
              }
              await cleanupOutputs(Squares.kind);
            }
          },
        }),
        qtransform({
          name: 'Cuber',
          input: Squares.kind,
          output: Cubes.kind,
          concurrency: 3,
          transform(draft, square) {
            draft.spec.value = square.spec.value * 3;
          },
        }),
        transform({
          name: 'Factorer',
          input: Cubes.kind,
          output: Factors.kind,
          inputFinalizers: true,
          transform(draft, cube) {
            draft.spec.factor = cube.spec.value + 1;
          },
        }),
        cleanup({
          name: 'Waiter',
          input: Numbers.kind,
          handlers: [noOutputsLeft(Factors.kind, ({ metadata }) => ({ id: `^copy-${metadata.id}$` }))],
        }),
      ]);
      void start();
      const refill = () => {
        while (between.losses.length < 2) {
          const chance = random.float();
          if (chance < 0.6) return;
          between.losses.push(chance < 0.75 ? 'made' : chance < 0.9 ? 'lost' : 'late');
        }
      };
      const alive = new Map<string, number>();
      for (let change = 0; change < 60; change++) {
        refill();
        const id = `n${Math.floor(random.float() * 5)}`;
        const value = Math.floor(random.float() * 100);
        const present = (await inner.list(Numbers.kind)).find(({ metadata }) => metadata.id === id);
        if (present?.metadata.phase === 'tearingDown') {
          if (present.metadata.finalizers.length === 0) await inner.destroy(Numbers.at(id));
        } else if (random.float() < 0.3 && present !== undefined) {
          await inner.teardown(Numbers.at(id));
          alive.delete(id);
        } else {
          await inner.modify(Numbers.at(id), (draft) => {
            draft.spec.value = value;
          });
          alive.set(id, value);
        }
        for (let turn = 0; turn < 6; turn++) await nextTurn();
        await between.arrive();
        await clock.advance(1);
      }
      between.losses.length = 0;
      await clock.advance(30_000);
      const wanted = [...alive].map(([id, value]) => [`copy-${id}`, value * 3 + 1]).sort();
      await eventually(async () => {
        const factors = await inner.list(Factors.kind);
        expect(factors.map(({ metadata, spec }) => [metadata.id, spec.factor])).toEqual(wanted);
        expect(await inner.list(Cubes.kind)).toHaveLength(wanted.length);
      });
      const { controllers } = runtime.report();
      expect(controllers.map(({ name, restarts, counts }) => [seed, name, restarts, counts.failed])).toEqual(
        controllers.map(({ name }) => [seed, name, 0, 0]),
      );
      await stop();
    }
  });
});
