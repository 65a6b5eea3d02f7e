import { type State, systemClock, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { destroy } from './destroy.js';
import { qtransform } from './qtransform.js';
import { requeueAfter, SkipError } from './requeue.js';
import { Runtime } from './runtime.js';
import { harness, RecordingLogger, steadyRandom } from './testdata/harness.js';
import { Numbers, Squares } from './testdata/kinds.js';

/** Fails, asks again and skips as the ids say, and gets there in the end. */
function moodySquarer(concurrency: number) {
  const calls = new Map<string, number>();
  const controller = qtransform({
    name: 'Squarer',
    input: Numbers.kind,
    output: Squares.kind,
    concurrency,
    async transform(draft, input) {
      const { id } = input.metadata;
      const call = (calls.get(id) ?? 0) + 1;
      calls.set(id, call);
      const mood = Number(id) % 10;
      if (mood === 3 && call < 4) throw new Error(`not yet ${id}`);
      if (mood === 5 && call < 3) await Promise.reject('not yet');
      if (mood === 7 && input.spec.value < 0) throw new SkipError('negative');
      draft.spec.value = input.spec.value ** 2;
      if (mood === 9 && call < 3) return requeueAfter(1);
    },
  });
  return { controller, calls };
}

async function squares(state: State): Promise<Map<string, number>> {
  return new Map((await state.list(Squares.kind)).map(({ metadata, spec }) => [metadata.id, spec.value]));
}

describe('convergence', () => {
  it('Q5, G5: ten thousand items, some of which fail, ask again or are changed meanwhile, all get there', async () => {
    const count = 10_000;
    const state = wrapState(new InMemoryState());
    const logger = new RecordingLogger();
    const { controller } = moodySquarer(16);
    await using runtime = new Runtime(state, {
      logger,
      clock: systemClock,
      backoff: { initialMs: 1, maxMs: 4 },
    });
    runtime.register(controller);
    runtime.register(destroy(Numbers.kind, { concurrency: 16 }));
    for (let i = 0; i < count / 2; i++) await state.create(Numbers.new(`${i}`, { value: i }));
    void runtime.run();
    for (let i = count / 2; i < count; i++) await state.create(Numbers.new(`${i}`, { value: i }));
    for (let i = 0; i < count; i += 3) {
      await state.modify(Numbers.at(`${i}`), (draft) => {
        draft.spec.value = i + 1;
      });
    }
    const wanted = new Map(Array.from({ length: count }, (_, i) => [`${i}`, (i % 3 === 0 ? i + 1 : i) ** 2]));
    await allMatch(state, wanted);
    await Promise.all(Array.from(wanted.keys(), (id) => state.teardown(Numbers.at(id))));
    await allMatch(state, new Map());
    const counts = runtime.report().controllers[0]?.counts;
    expect(counts?.failed).toBeGreaterThanOrEqual((count / 10) * 5);
    expect(counts?.requeued).toBeGreaterThan(0);
    expect(logger.at('error')).toHaveLength(counts?.failed ?? 0);
  }, 60_000);

  it('G1, G3, G5: whatever happens to the inputs, the outputs follow', async () => {
    const id = fc.constantFrom('1', '3', '5', '7', '9');
    const step = fc.oneof(
      fc.record({ do: fc.constant('set' as const), id, value: fc.integer({ min: -3, max: 9 }) }),
      fc.record({ do: fc.constant('teardown' as const), id }),
      fc.record({ do: fc.constant('hold' as const), id }),
      fc.record({ do: fc.constant('let go' as const), id }),
      fc.record({ do: fc.constant('wait' as const), ms: fc.nat(800) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const { controller } = moodySquarer(3);
        const { state, clock, start, stop, runtime } = harness([controller, destroy(Numbers.kind)], {
          random: steadyRandom,
        });
        void start();
        for (const each of steps) {
          if (each.do === 'wait') await clock.advance(each.ms);
          else await act(state, each);
        }
        for (const each of ['1', '3', '5', '7', '9']) await act(state, { do: 'let go', id: each });
        await clock.advance(600_000);
        const inputs = await state.list(Numbers.kind);
        const all = await squares(state);
        for (const { metadata, spec } of inputs) {
          expect(metadata.phase).toBe('running');
          // A skipped one keeps what it had.
          if (metadata.id !== '7' || spec.value >= 0) expect(all.get(metadata.id)).toBe(spec.value ** 2);
          all.delete(metadata.id);
        }
        expect([...all]).toEqual([]);
        await stop();
        expect(clock.timers).toBe(0);
        expect(runtime.report().watches).toEqual([]);
      }),
      {
        numRuns: 40,
        // Torn down between the controller's read and its finalizer.
        examples: [
          [
            [
              { do: 'set', id: '1', value: 0 },
              { do: 'let go', id: '1' },
              { do: 'hold', id: '1' },
              { do: 'let go', id: '1' },
              { do: 'teardown', id: '1' },
            ],
          ],
        ],
      },
    );
  }, 30_000);
});

type Act =
  | { readonly do: 'set'; readonly id: string; readonly value: number }
  | { readonly do: 'teardown' | 'hold' | 'let go'; readonly id: string };

/** Some acts make no sense in the present state: they are refused, and nothing has happened. */
async function act(state: State, each: Act): Promise<void> {
  try {
    switch (each.do) {
      case 'set':
        await state.modify(Numbers.at(each.id), (draft) => {
          draft.spec.value = each.value;
        });
        return;
      case 'teardown':
        await state.teardown(Numbers.at(each.id));
        return;
      case 'hold':
        await state.addFinalizer(Squares.at(each.id), 'held');
        return;
      case 'let go':
        await state.removeFinalizer(Squares.at(each.id), 'held');
    }
  } catch (error) {
    expect((error as { code: string }).code).toMatch(/^(not-found|phase-conflict)$/);
  }
}

async function allMatch(state: State, wanted: ReadonlyMap<string, number>): Promise<void> {
  await using watch = await state.watchKindAggregated(Squares.kind, { bootstrapContents: true });
  const present = new Map<string, number>();
  const off = new Set(wanted.keys());
  for await (const events of watch) {
    for (const event of events) {
      if (event.type !== 'created' && event.type !== 'updated' && event.type !== 'destroyed') continue;
      const { id } = event.resource.metadata;
      if (event.type === 'destroyed') present.delete(id);
      else present.set(id, event.resource.spec.value);
      if (present.get(id) === wanted.get(id)) off.delete(id);
      else off.add(id);
    }
    if (off.size === 0 && present.size === wanted.size) return;
  }
}
