import { isInvalidArgument, isNotFound, type Kind, label, OverrunError, type Resource } from '@cosi-ts/resource';
import {
  type CoreState,
  createWatch,
  type Event,
  filter,
  nextTurn,
  type State,
  VirtualClock,
  type WatchKindOptions,
  wrapState,
} from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type BreakableCore, breakable } from '../testdata/breakable-core.js';
import { eventually, RecordingLogger, settled, steadyRandom } from '../testdata/harness.js';
import { Numbers, Squares } from '../testdata/kinds.js';
import { type CachedState, cachedState } from './cached-state.js';

interface Setup {
  readonly state: State;
  readonly core: BreakableCore;
  readonly cached: CachedState;
  readonly clock: VirtualClock;
  /** Of the state, by whoever reads it. */
  readonly reads: string[];
}

function setup(...refusals: Error[]): Setup {
  const inner = new InMemoryState();
  const core = breakable(inner);
  core.refusals.push(...refusals);
  const reads: string[] = [];
  const [get, list] = [core.get.bind(core), core.list.bind(core)];
  core.get = (pointer, options) => {
    reads.push(`get ${pointer.id}`);
    return get(pointer, options);
  };
  core.list = (kind, options) => {
    reads.push('list');
    return list(kind, options);
  };
  const clock = new VirtualClock();
  const logger = new RecordingLogger();
  const cached = cachedState(core, [Numbers.kind], { clock, logger, random: steadyRandom });
  onTestFinished(() => cached.close());
  return { state: wrapState(inner), core, cached, clock, reads };
}

const texts = (resources: readonly Resource[]) =>
  resources.map(({ metadata: { id, version, phase } }) => `${id}@${version}${phase === 'running' ? '' : '!'}`);

/** Waits so many turns of the host the first time, so many the second time, and so on. */
function inTurn(delays: readonly number[]): () => Promise<void> {
  let times = 0;
  return async () => {
    for (let turn = delays[times++ % delays.length] ?? 0; turn > 0; turn--) await nextTurn();
  };
}

/** The state, with its events on the way for a while. */
function lateEvents(core: CoreState, delays: readonly number[]): CoreState {
  const wait = inTurn(delays);
  const passing = filter(core, () => undefined);
  return Object.assign(passing, {
    async watchKindAggregated(kind: Kind, options: WatchKindOptions = {}) {
      const inner = await core.watchKindAggregated(kind, options);
      return createWatch<readonly Event[]>({
        async pull() {
          const { value } = await inner.next();
          await wait();
          return value;
        },
        close: () => inner.close(),
      });
    },
  });
}

/** The state, with the answers to writes on the way for a while. */
function lateAnswers(core: BreakableCore, delays: readonly number[]): BreakableCore {
  const wait = inTurn(delays);
  const { create, update, destroy } = core;
  const late = <T>(answer: Promise<T>) => answer.finally(wait);
  return Object.assign(core, {
    create: (...given: Parameters<typeof create>) => late(create.apply(core, given)),
    update: (...given: Parameters<typeof update>) => late(update.apply(core, given)),
    destroy: (...given: Parameters<typeof destroy>) => late(destroy.apply(core, given)),
  });
}

const overrun = () => new OverrunError(Numbers.kind, 1n, 20n, 10);

describe('a cached state', () => {
  it('C10: waits for the first list, then answers without asking the state', async () => {
    const { state, cached, clock, reads } = setup(new Error('away'));
    await state.create(Numbers.new('a', { value: 1 }));
    const reading = cached.get(Numbers.at('a'));
    await settled();
    expect(cached.report()).toMatchObject([{ status: 'degraded', reason: 'away', resources: 0 }]);
    await clock.advance(500);
    expect((await reading).spec.value).toBe(1);
    expect(texts(await cached.list(Numbers.kind))).toEqual(['a@1']);
    await expect(cached.get(Numbers.at('b'))).rejects.toSatisfy(isNotFound);
    expect(reads).toEqual([]);
    expect(cached.report()).toMatchObject([{ status: 'live', resources: 1, unconfirmedWrites: 0 }]);
  });

  it('C10: a read that waits ends with its signal', async () => {
    const { cached } = setup(new Error('away'));
    const aborter = new AbortController();
    const reading = cached.list(Numbers.kind, { signal: aborter.signal });
    aborter.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  });

  it('C10: lists in the order of UTF-8 bytes, with queries', async () => {
    const { state, cached } = setup();
    const add = (id: string, labels: Record<string, string>) => state.create(Numbers.new(id, { value: 1 }, { labels }));
    await add('\u{1F600}', { tier: 'web' });
    await add('\uFFFD', { tier: 'db' });
    await add('a', { tier: 'web', size: '8' });
    await add('b', {});
    const ids = async (options = {}) => (await cached.list(Numbers.kind, options)).map(({ metadata }) => metadata.id);
    await eventually(async () => expect(await ids()).toEqual(['a', 'b', '\uFFFD', '\u{1F600}']));
    expect(await ids({ labels: [label('tier').is('web')] })).toEqual(['a', '\u{1F600}']);
    expect(await ids({ labels: [[label('tier').in(['db'])], [label('size').atLeastNumeric(8)]] })).toEqual([
      'a',
      '\uFFFD',
    ]);
    expect(await ids({ labels: [label('tier').absent()] })).toEqual(['b']);
    expect(await ids({ id: '^[ab]$' })).toEqual(['a', 'b']);
    await expect(cached.list(Numbers.kind, { id: '(' })).rejects.toSatisfy(isInvalidArgument);
    // What is indexed follows changes of labels.
    await state.updateWithConflicts(Numbers.at('b'), (draft) => {
      draft.metadata.labels.tier = 'web';
    });
    await state.destroy(Numbers.at('a'));
    await eventually(async () => expect(await ids({ labels: [label('tier').is('web')] })).toEqual(['b', '\u{1F600}']));
  });

  it('C10: other kinds, and reads that ask for it, go to the state', async () => {
    const { state, cached, reads } = setup();
    await state.create(Numbers.new('a', { value: 1 }));
    await cached.get(Numbers.at('a'), { uncached: true });
    await cached.list(Numbers.kind, { uncached: true });
    await cached.list(Squares.kind);
    expect(reads).toEqual(['get a', 'list', 'list']);
  });

  it('C16: what is written is read, before any event has come', async () => {
    const { cached, reads } = setup();
    await cached.list(Numbers.kind);
    const read = async () => texts(await cached.list(Numbers.kind));
    await cached.create(Numbers.new('a', { value: 1 }));
    expect(await read()).toEqual(['a@1']);
    await cached.addFinalizer(Numbers.at('a'), 'f');
    expect(await read()).toEqual(['a@2']);
    expect(await cached.teardown(Numbers.at('a'))).toBe(false);
    expect(await read()).toEqual(['a@3!']);
    await cached.removeFinalizer(Numbers.at('a'), 'f');
    expect(await read()).toEqual(['a@4!']);
    await cached.destroy(Numbers.at('a'));
    expect(await read()).toEqual([]);
    await cached.modify(Numbers.at('a'), (draft) => {
      draft.spec.value = 5;
    });
    expect((await cached.get(Numbers.at('a'))).spec.value).toBe(5);
    expect(reads.filter((each) => each === 'list')).toEqual([]);
    await settled();
    expect(await read()).toEqual(['a@1']);
    expect(cached.report()).toMatchObject([{ unconfirmedWrites: 0 }]);
  });

  it('C16, W13: a write just before an overrun is kept, and what others have done meanwhile comes with the list', async () => {
    const { state, core, cached } = setup();
    await cached.create(Numbers.new('a', { value: 1 }));
    await settled();
    core.cut(overrun());
    await cached.addFinalizer(Numbers.at('a'), 'mine');
    await cached.create(Numbers.new('b', { value: 1 }));
    await state.addFinalizer(Numbers.at('a'), 'theirs');
    await state.destroy(Numbers.at('b'));
    await state.create(Numbers.new('c', { value: 1 }));
    expect(texts(await cached.list(Numbers.kind))[0]).toBe('a@2');
    await eventually(async () => expect(texts(await cached.list(Numbers.kind))).toEqual(['a@3', 'c@1']));
    await eventually(() => expect(cached.report()).toMatchObject([{ status: 'live', unconfirmedWrites: 0 }]));
  });

  it('C10: closed, it reads from the state, which stays open', async () => {
    const { cached, core, reads } = setup();
    await cached.create(Numbers.new('a', { value: 1 }));
    await cached.close();
    await cached.close();
    expect(texts(await cached.list(Numbers.kind))).toEqual(['a@1']);
    expect(reads).toEqual(['list']);
    expect(core.open).toBe(0);
    expect(cached.report()).toMatchObject([{ status: 'stopped' }]);
  });

  it('C10, C16: agrees with the state in the end, and never forgets an own write, whatever happens', async () => {
    const id = fc.constantFrom('a', 'b');
    const step = fc.oneof(
      fc.record({ who: fc.constantFrom('own', 'other'), what: fc.constantFrom('write', 'destroy'), id }),
      fc.record({ what: fc.constantFrom('turn', 'host', 'host', 'overrun', 'break', 'settle') }),
    );
    const delays = fc.array(fc.nat(3), { minLength: 1, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 16 }), delays, delays, async (steps, answers, events) => {
        const inner = wrapState(new InMemoryState());
        const core = lateAnswers(breakable(lateEvents(inner, events)), answers);
        const clock = new VirtualClock();
        await using cached = cachedState(core, [Numbers.kind], {
          clock,
          logger: new RecordingLogger(),
          random: steadyRandom,
        });
        await cached.list(Numbers.kind);
        const pending: Promise<void>[] = [];
        const write = async (to: Pick<State, 'modify'>, at: string) => {
          const written = await to.modify(Numbers.at(at), (draft) => {
            draft.spec.value = (draft.spec.value ?? 0) + 1;
          });
          if (to === (inner as unknown)) return;
          // Not older than the write, now and later: as new in the same life of the id, or in a later one, or gone.
          for (let turn = 0; turn < 6; turn++) {
            const [read] = await cached.list(Numbers.kind, { id: `^${at}$` });
            const { created, version } = written.metadata;
            const order = read?.metadata.created.compare(created) ?? 1;
            if (order === 0) expect(read?.metadata.version).toBeGreaterThanOrEqual(version ?? 0n);
            else expect(order).toBeGreaterThan(0);
            await nextTurn();
          }
        };
        const destroy = async (to: Pick<State, 'destroy'>, at: string) => {
          try {
            await to.destroy(Numbers.at(at));
          } catch (error) {
            if (!isNotFound(error)) throw error;
          }
        };
        for (const each of steps) {
          if ('id' in each) {
            const to = (each.who === 'own' ? cached : inner) as unknown as State;
            pending.push(each.what === 'write' ? write(to, each.id) : destroy(to, each.id));
          } else if (each.what === 'turn') await Promise.resolve();
          else if (each.what === 'host') await nextTurn();
          else if (each.what === 'overrun') core.cut(overrun());
          else if (each.what === 'break') core.cut();
          else await settled();
        }
        await Promise.all(pending);
        await clock.advance(60_000);
        await eventually(async () => {
          const expected = await inner.list(Numbers.kind);
          const present = await cached.list(Numbers.kind);
          expect(texts(present)).toEqual(texts(expected));
          expect(present.every((resource, i) => expected[i]?.equals(resource) === true)).toBe(true);
          expect(cached.report()).toMatchObject([{ status: 'live', unconfirmedWrites: 0 }]);
        });
      }),
      {
        numRuns: 150,
        examples: [
          [
            // Two own writes at once, one of which makes the resource anew.
            [
              { who: 'own', what: 'write', id: 'b' },
              { what: 'host' },
              { who: 'own', what: 'write', id: 'b' },
              { who: 'other', what: 'destroy', id: 'b' },
            ],
            [1, 0],
            [1],
          ],
        ],
      },
    );
  }, 60_000);
});
