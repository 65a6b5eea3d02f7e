import {
  isAlreadyExists,
  isNotFound,
  isOutcomeUnknown,
  isPendingFinalizers,
  isVersionConflict,
  type Resource,
  type TypedResource,
  UnavailableError,
} from '@cosi-ts/resource';
import { type CoreState, resolveBackoff, type State, VirtualClock, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { RecordingLogger, settled, steadyRandom } from '../testdata/harness.js';
import { Squares } from '../testdata/kinds.js';
import { type Loss, losing } from '../testdata/losing-core.js';
import { WriteLimit } from '../write-limit.js';
import { settledWrites } from './settled-writes.js';
import { UnsettledWriteError } from './unsettled-write.js';

const me = { owner: 'Squarer' };
const at = Squares.at('a');
const failure = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

function setup({ perSecond, native = false }: { readonly perSecond?: number; readonly native?: boolean } = {}) {
  // What is seen and done by others.
  const state = wrapState(new InMemoryState());
  const core: CoreState = native
    ? Object.assign(withoutWrapping(state), { teardown: state.teardown.bind(state) })
    : state.core;
  const between = losing(core);
  const clock = new VirtualClock();
  const logger = new RecordingLogger();
  const limit = perSecond === undefined ? undefined : new WriteLimit(clock, { perSecond });
  const own = wrapState(
    settledWrites(between, { ...me, logger, clock, random: steadyRandom, backoff: resolveBackoff({}), limit }),
  );
  return { state, between, clock, logger, limit, own };
}

function withoutWrapping(state: State): CoreState {
  const { core } = state;
  return {
    get: core.get.bind(core),
    list: core.list.bind(core),
    create: core.create.bind(core),
    update: core.update.bind(core),
    destroy: core.destroy.bind(core),
    watch: core.watch.bind(core),
    watchKind: core.watchKind.bind(core),
    watchKindAggregated: core.watchKindAggregated.bind(core),
  };
}

function valued(resource: TypedResource<{ value: number }>, value: number): Resource {
  return Squares.new('a', { value }).withMetadata(resource.metadata);
}

/** What another one does to the resource that keeps its contents: it holds it. */
const held = (state: State) => () => state.addFinalizer(at, 'Holder');

describe('a write whose answer is lost', () => {
  it('is passed through when it is not, and so are other failures', async () => {
    const { own, between, logger } = setup();
    const created = await own.create(Squares.new('a', { value: 1 }), me);
    await own.update(valued(created, 2), me);
    expect(await failure(own.update(valued(created, 3), me))).toSatisfy(isVersionConflict);
    await own.destroy(at, me);
    expect(await failure(own.destroy(at, me))).toSatisfy(isNotFound);
    expect(between.calls).toEqual(['create', 'update', 'update', 'destroy', 'destroy']);
    expect(logger.records).toEqual([]);
  });

  it.each<Loss>(['made', 'lost', 'late'])('S4: creates once, when it was %s', async (loss) => {
    const { own, state, between } = setup();
    between.losses.push(loss);
    const created = await own.create(Squares.new('a', { value: 1 }), me);
    expect(created.metadata).toMatchObject({ version: 1n, ...me });
    expect((await state.get(at)).equals(created)).toBe(true);
  });

  it.each<Loss>(['made', 'lost', 'late'])('S5: updates once, when it was %s', async (loss) => {
    const { own, state, between, logger } = setup();
    const created = await own.create(Squares.new('a', { value: 1 }), me);
    between.losses.push(loss);
    const updated = await own.update(valued(created, 2), me);
    expect(updated.metadata.version).toBe(2n);
    expect(await state.get(at)).toMatchObject({ metadata: { version: 2n }, spec: { value: 2 } });
    expect(logger.at('warn')[0]).toMatchObject({
      facts: { resource: 'Squares.test.cosi.dev(test/a)' },
      message: expect.stringMatching(/^the answer to a write was lost, it had (its|no) effect/),
    });
  });

  it.each<Loss>(['made', 'lost', 'late'])('S6: destroys what it was to, when it was %s', async (loss) => {
    const { own, state, between } = setup();
    await own.create(Squares.new('a', { value: 1 }), me);
    between.losses.push(loss);
    await own.destroy(at, me);
    expect(await failure(state.get(at))).toSatisfy(isNotFound);
  });

  it.each([true, false])('S10: tears down, natively (%s) or composed, whatever became of it', async (native) => {
    for (const loss of ['made', 'lost', 'late'] as const) {
      const { own, state, between } = setup({ native });
      await own.create(Squares.new('a', { value: 1 }), me);
      await state.addFinalizer(at, 'Holder');
      between.losses.push(loss);
      expect([loss, await own.teardown(at, me)]).toEqual([loss, false]);
      expect((await state.get(at)).metadata).toMatchObject({ phase: 'tearingDown', version: 3n });
    }
  });

  it('is refused as the state would refuse it', async () => {
    const { own, state, between } = setup({ native: true });
    expect(await failure(own.teardown(at, me))).toSatisfy(isNotFound);
    between.losses.push('made');
    expect(await failure(own.teardown(at, me))).toSatisfy(isNotFound);
    const created = await own.create(Squares.new('a', { value: 1 }), me);
    between.losses.push('made');
    expect(await failure(own.create(Squares.new('a', { value: 2 }), me))).toSatisfy(isAlreadyExists);
    await state.addFinalizer(at, 'Holder');
    between.losses.push('made');
    expect(await failure(own.update(valued(created, 2), me))).toSatisfy(isVersionConflict);
    between.losses.push('lost');
    expect(await failure(own.destroy(at, me))).toSatisfy(isPendingFinalizers);
    expect(await state.get(at)).toMatchObject({ metadata: { version: 2n }, spec: { value: 1 } });
  });

  it('is not taken for made because of what another write of its own has left', async () => {
    const { own, state, between } = setup();
    const created = await own.create(Squares.new('a', { value: 1 }), me);
    between.losses.push('lost');
    // The same contents to the same version: one of the two is to be told that it came too late, or nothing.
    const [first, second] = await Promise.allSettled([
      own.update(valued(created, 2), me),
      own.update(valued(created, 2), me),
    ]);
    expect(second.status).toBe('fulfilled');
    expect(first).toMatchObject({ status: 'rejected', reason: { code: 'unavailable', outcomeUnknown: true } });
    expect((await state.get(at)).metadata.version).toBe(2n);
    // Alone again.
    between.losses.push('made');
    expect((await own.update(valued(await state.get(at), 3), me)).metadata.version).toBe(3n);
  });

  it('says so when what is stored does not tell', async () => {
    const { own, state, between } = setup();
    const unclear = (error: unknown) => error instanceof UnsettledWriteError && isOutcomeUnknown(error);
    between.losses.push('made');
    between.meanwhile = held(state);
    expect(await failure(own.create(Squares.new('a', { value: 1 }), me))).toSatisfy(unclear);
    between.losses.push('made');
    between.meanwhile = () => state.addFinalizer(at, 'Another');
    const error = await failure(own.update(valued(await state.get(at), 2), me));
    expect(error).toSatisfy(unclear);
    expect(error).toMatchObject({
      subject: { namespace: 'test', type: Squares.type, id: 'a' },
      message: expect.stringMatching(/whether it had its effect is not known$/),
      found: { metadata: { version: 4n } },
      cause: { message: 'the connection broke' },
    });
  });

  it('of what is another one’s is not taken for made by its contents, and not made where that could hurt', async () => {
    const { own, state, between } = setup({ native: true });
    const unclear = (error: unknown) => error instanceof UnsettledWriteError;
    for (const loss of ['made', 'lost'] as const) {
      between.losses.push(loss);
      expect(await failure(own.create(Squares.new(loss, { value: 1 })))).toSatisfy(unclear);
    }
    const created = await own.create(Squares.new('a', { value: 1 }));
    between.losses.push('made');
    expect(await failure(own.update(valued(created, 2)))).toSatisfy(unclear);
    // Destroyed, and made anew by another one, who has been told so.
    between.losses.push('made');
    between.meanwhile = () => state.create(Squares.new('a', { value: 7 }));
    expect(await failure(own.destroy(at))).toSatisfy(unclear);
    between.losses.push('made');
    between.meanwhile = async () => {
      await state.destroy(at);
      await state.create(Squares.new('a', { value: 8 }));
    };
    expect(await failure(own.teardown(at))).toSatisfy(unclear);
    expect(await state.get(at)).toMatchObject({ metadata: { phase: 'running', version: 1n }, spec: { value: 8 } });
    // What only one write can do to a version is certain for everybody.
    between.meanwhile = async () => undefined;
    between.losses.push('lost');
    expect((await own.update(valued(await state.get(at), 9))).metadata.version).toBe(2n);
    between.losses.push('made');
    expect(await own.teardown(at)).toBe(true);
    between.losses.push('lost');
    await own.destroy(at);
    expect(await failure(state.get(at))).toSatisfy(isNotFound);
  });

  it('knows another life of the id, although versions begin anew', async () => {
    const { own, state, between } = setup();
    const created = await own.create(Squares.new('a', { value: 1 }), me);
    between.losses.push('lost');
    between.meanwhile = async () => {
      await state.destroy(at, me);
      await state.create(Squares.new('a', { value: 5 }), me);
    };
    expect(await failure(own.update(valued(created, 2), me))).toBeInstanceOf(UnsettledWriteError);
    expect((await state.get(at)).spec.value).toBe(5);
  });

  it('looks again after a pause: meanwhile another life of the id may have come to the same version', async () => {
    const { own, state, between, clock } = setup();
    const created = await own.create(Squares.new('a', { value: 1 }), me);
    between.losses.push('lost', 'lost');
    const failed = failure(own.update(valued(created, 2), me));
    await settled();
    await state.destroy(at, me);
    await state.create(Squares.new('a', { value: 5 }), me);
    await clock.advance(500);
    expect(await failed).toBeInstanceOf(UnsettledWriteError);
    expect(await state.get(at)).toMatchObject({ metadata: { version: 1n }, spec: { value: 5 } });
  });

  it('fails as it did when nothing can be read, and says that in the log', async () => {
    const { own, between, logger } = setup();
    const created = await own.create(Squares.new('a', { value: 1 }), me);
    between.losses.push('made');
    between.unreadable = true;
    const error = await failure(own.update(valued(created, 2), me));
    expect(error).toMatchObject({ message: 'the connection broke' });
    expect(error).toSatisfy(isOutcomeUnknown);
    expect(logger.at('warn')).toMatchObject([
      {
        message: 'the answer to a write was lost, and what is stored cannot be read',
        facts: { err: { message: 'nobody is there' } },
      },
    ]);
  });

  it('is made again a few times only, with growing delays', async () => {
    const { own, between, clock } = setup();
    const created = await own.create(Squares.new('a', { value: 1 }), me);
    between.losses.push(...Array<Loss>(100).fill('lost'));
    const failed = failure(own.update(valued(created, 2), me));
    await settled();
    expect(between.calls.filter((call) => call === 'update')).toHaveLength(2);
    await clock.advance(500);
    expect(between.calls.filter((call) => call === 'update')).toHaveLength(3);
    await clock.advance(1000 + 2000 + 4000);
    expect(await failed).toSatisfy(isOutcomeUnknown);
    expect(between.calls.filter((call) => call === 'update')).toHaveLength(6);
    expect(clock.timers).toBe(0);
  });

  it('S1: ends with the signal’s reason while it waits, and is not made again', async () => {
    const { own, between, clock } = setup();
    const created = await own.create(Squares.new('a', { value: 1 }), me);
    between.losses.push('lost', 'lost');
    const aborter = new AbortController();
    const failed = failure(own.update(valued(created, 2), { ...me, signal: aborter.signal }));
    await settled();
    const { length } = between.calls;
    aborter.abort('enough');
    expect(await failed).toBe('enough');
    expect(between.calls).toHaveLength(length);
    expect(clock.timers).toBe(0);
    between.losses.push('lost');
    between.meanwhile = async () => own2.abort('over');
    const own2 = new AbortController();
    expect(await failure(own.update(valued(created, 2), { ...me, signal: own2.signal }))).toBe('over');
  });

  it('C8: waits for the limit before it is made again', async () => {
    const { own, between, clock, limit } = setup({ perSecond: 1 });
    await limit?.pass(undefined);
    between.losses.push('lost');
    const created = own.create(Squares.new('a', { value: 1 }), me);
    await settled();
    expect(between.calls).toEqual(['create', 'get']);
    await clock.advance(1000);
    await created;
    expect(between.calls).toEqual(['create', 'get', 'get', 'create']);
  });

  it('is no write that failed before it was begun', async () => {
    const { own, between } = setup();
    between.meanwhile = async () => {
      throw new UnavailableError('nobody listens');
    };
    between.losses.push('lost');
    expect(await failure(own.create(Squares.new('a', { value: 1 }), me))).toMatchObject({ message: 'nobody listens' });
    expect(between.calls).toEqual(['create']);
  });
});
