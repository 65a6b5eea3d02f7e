import {
  DeniedError,
  defineResource,
  InvalidArgumentError,
  InvalidBookmarkError,
  kindTombstone,
  type Resource,
  ResourceExhaustedError,
  Timestamp,
  UnauthenticatedError,
  UnavailableError,
  UnknownError,
  UnsupportedError,
} from '@cosi-ts/resource';
import { type Bookmark, createWatch, type Event, type Random, VirtualClock, type Watch } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import { ScriptedStream, ScriptedStreams } from '../../testdata/scripted-streams.js';
import { BootstrapComparison } from './bootstrap-comparison.js';
import { EventArrays } from './event-arrays.js';
import { KindProgress } from './kind-progress.js';
import { PointerProgress } from './pointer-progress.js';
import type { Progress } from './progress.js';
import { ResumingWatch } from './resuming-watch.js';
import type { Start } from './start.js';

const Thing = defineResource<{ n: number }>({ type: 'Things.test', namespace: 'a' });
const plain: Start = { bookmark: undefined, bootstrap: false, noop: false, tailEvents: 0 };
const at = (position: number): Bookmark => Uint8Array.of(position);
const marker = kindTombstone(Thing.kind, Timestamp.epoch);

function thing(id: string, version: bigint, createdS = 1): Resource {
  const resource = Thing.new(id, { n: Number(version) });
  return resource.withMetadata(resource.metadata.with({ version, created: new Timestamp(createdS, 0) }));
}

type Position = { readonly bookmark?: Bookmark };
const position = (n: number | undefined): Position => (n === undefined ? {} : { bookmark: at(n) });
const created = (id: string, n?: number, version = 1n): Event => ({
  type: 'created',
  resource: thing(id, version),
  ...position(n),
});
const destroyed = (id: string, n?: number): Event => ({ type: 'destroyed', resource: thing(id, 1n), ...position(n) });
const bootstrapped = (n?: number): Event => ({ type: 'bootstrapped', resource: marker, ...position(n) });
const noop = (n?: number): Event => ({ type: 'noop', resource: marker, ...position(n) });
const errored = (error: Error): Event => ({ type: 'errored', error });
const cut = new UnavailableError('the connection was cut');

/** No jitter: half of the spread. */
const middle: Random = { float: () => 0.5, bytes: (length) => new Uint8Array(length) };

interface Run<T> extends AsyncDisposable {
  readonly watch: Watch<T>;
  readonly first: ScriptedStream;
  readonly streams: ScriptedStreams;
  readonly clock: VirtualClock;
  readonly logs: Record<string, unknown>[];
  /** The next item, once so much time has passed. */
  after(ms: number): Promise<T | undefined>;
}

function run<T>(
  progress: Progress<T>,
  options: { aggregated?: boolean; resume?: boolean; random?: Random; atBookmark?: boolean; expiry?: AbortSignal } = {},
): Run<T> {
  const clock = new VirtualClock();
  const streams = new ScriptedStreams(() => clock.monotonicMs());
  const first = new ScriptedStream();
  const logs: Record<string, unknown>[] = [];
  const { aggregated = false, resume = true, random = middle, atBookmark = false, expiry } = options;
  const logger = { warn: (fields: object) => void logs.push(fields as Record<string, unknown>), error() {} };
  const source = new ResumingWatch(
    { stream: first, aggregated, atBookmark },
    progress,
    Thing.kind,
    streams.open,
    expiry,
    { resume, resumeBackoff: { initialMs: 500, maxMs: 30_000 }, clock, random, logger },
    () => {},
  );
  const watch = createWatch(source);
  return {
    watch,
    first,
    streams,
    clock,
    logs,
    async after(ms) {
      const next = watch.next();
      await clock.advance(ms);
      return (await next).value;
    },
    async [Symbol.asyncDispose]() {
      await watch.close();
      expect(clock.timers).toBe(0);
    },
  };
}

const kindProgress = (asked: Partial<Start> = {}) =>
  new KindProgress<Event>({ ...plain, ...asked }, new BootstrapComparison());
const arraysProgress = (asked: Partial<Start> = {}) =>
  new KindProgress<readonly Event[]>({ ...plain, ...asked }, new EventArrays(asked.bootstrap ?? false));

describe('ResumingWatch', () => {
  it('N4: a watch that broke goes on from the last bookmark', async () => {
    await using test = run(kindProgress());
    const { first, streams, logs } = test;
    first.push(created('a', 1), created('b', 2)).break(cut);
    const second = streams.accept().push(created('c', 3));
    expect([await test.after(0), await test.after(0)]).toMatchObject([{ type: 'created' }, { type: 'created' }]);
    expect(await test.after(500)).toMatchObject({ type: 'created', bookmark: at(3) });
    expect(streams.attempts).toEqual([{ ...plain, bookmark: at(2), aggregated: false, atMs: 500 }]);
    expect(logs).toMatchObject([{ err: cut, ...Thing.kind, bookmark: '02', retryInMs: 500, attempt: 1 }]);
    second.break(cut);
    streams.accept().push(created('d', 4));
    expect(await test.after(1000)).toMatchObject({ bookmark: at(4) });
    expect(streams.attempts[1]).toMatchObject({ bookmark: at(3), atMs: 1500 });
  });

  it('W15: a quiet watch goes on from the bookmark of a noop that its consumer never sees', async () => {
    await using test = run(kindProgress());
    test.first.push(noop(7)).break(cut);
    test.streams.accept().push(created('a', 8));
    expect(await test.after(500)).toMatchObject({ type: 'created', bookmark: at(8) });
    expect(test.streams.attempts).toMatchObject([{ bookmark: at(7), bootstrap: false, noop: false }]);
  });

  it('W5: a noop that was asked for is given once, also when the stream broke before it', async () => {
    await using test = run(kindProgress({ bootstrap: true, noop: true }));
    test.first.push(created('a'), bootstrapped(1)).break(cut);
    test.streams.accept().push(noop(1)).break(cut);
    test.streams.accept().push(noop(1), created('b', 2));
    const types = [await test.after(0), await test.after(0), await test.after(500), await test.after(1000)];
    expect(types.map((event) => event?.type)).toEqual(['created', 'bootstrapped', 'noop', 'created']);
    expect(test.streams.attempts).toMatchObject([{ noop: true }, { noop: false }]);
  });

  it('W3: a noop that would come after a live event is not asked for any more', async () => {
    await using test = run(kindProgress({ noop: true, bookmark: at(1) }));
    test.first.push(created('a', 2)).break(cut);
    test.streams.accept().push(noop(2), created('b', 3));
    expect([await test.after(0), await test.after(500)]).toMatchObject([{ bookmark: at(2) }, { bookmark: at(3) }]);
    expect(test.streams.attempts).toMatchObject([{ noop: false }]);
  });

  it('N4: the delays grow from 0.5 s to 30 s, there is no last attempt, and each is logged', async () => {
    await using test = run(kindProgress());
    test.first.push(noop(1)).break(cut);
    const delays = [500, 1000, 2000, 4000, 8000, 16_000, 30_000, ...Array<number>(100).fill(30_000)];
    for (const _ of delays) test.streams.refuse(cut);
    test.streams.accept().push(created('a', 2));
    const total = [...delays, 30_000].reduce((sum, ms) => sum + ms, 0);
    expect(await test.after(total)).toMatchObject({ type: 'created' });
    expect(test.logs.map(({ retryInMs }) => retryInMs)).toEqual([...delays, 30_000]);
  });

  it.each([
    [0, 400],
    [0.999_999, 600],
  ])('N4: chance %d makes the first delay %i ms', async (float, expectedMs) => {
    await using test = run(kindProgress(), { random: { ...middle, float: () => float } });
    test.first.push(noop(1)).break(cut);
    test.streams.accept().push(created('a', 2));
    await test.after(600);
    expect(test.streams.attempts[0]?.atMs).toBeCloseTo(expectedMs, 2);
  });

  it.each([
    [29_999, 1000],
    [30_000, 500],
  ])('N4: after a stream that lasted %i ms the delay is %i ms', async (lastedMs, delayMs) => {
    await using test = run(kindProgress());
    test.first.push(noop(1)).break(cut);
    const second = test.streams.accept();
    const next = test.watch.next();
    await test.clock.advance(500 + lastedMs);
    second.break(cut);
    test.streams.accept().push(created('a', 2));
    await test.clock.advance(1000);
    expect((await next).value).toMatchObject({ type: 'created' });
    expect(test.streams.attempts[1]?.atMs).toBe(500 + lastedMs + delayMs);
  });

  it('N4: with resuming switched off a break ends the watch', async () => {
    await using test = run(kindProgress(), { resume: false });
    test.first.push(noop(1)).break(cut);
    expect(await test.after(0)).toEqual(errored(cut));
    expect(await test.after(0)).toBeUndefined();
    expect(test.streams.attempts).toEqual([]);
  });

  it('N4: a watch of a kind without a bookmark and without a bootstrap to repeat ends', async () => {
    for (const progress of [kindProgress(), kindProgress({ tailEvents: 3 })]) {
      await using test = run(progress);
      test.first.break(cut);
      const event = await test.after(0);
      expect(event).toMatchObject({ type: 'errored', error: { code: 'unavailable', cause: cut } });
      expect(await test.after(0)).toBeUndefined();
    }
  });

  it('N4: a bootstrap without a bookmark is not repeated once it is over', async () => {
    await using test = run(kindProgress({ bootstrap: true }));
    test.first.push(created('a'), bootstrapped()).break(cut);
    const events = [await test.after(0), await test.after(0), await test.after(0)];
    expect(events.map((event) => event?.type)).toEqual(['created', 'bootstrapped', 'errored']);
    expect(test.streams.attempts).toEqual([]);
  });

  it.each([
    new InvalidArgumentError('no'),
    new UnsupportedError('no'),
    new DeniedError('no'),
    new UnauthenticatedError('no'),
    new InvalidBookmarkError('too old'),
  ])('N4: a watch that is resumed and refused as $code ends', async (refusal) => {
    await using test = run(kindProgress());
    test.first.push(noop(1)).break(cut);
    test.streams.refuse(refusal);
    expect(await test.after(500)).toEqual(errored(refusal));
    expect(await test.after(100_000)).toBeUndefined();
  });

  it('W15: other failures pass, and so does a refused bookmark where none was sent', async () => {
    await using test = run(kindProgress({ bootstrap: true }));
    test.first.break(cut);
    for (const error of [new UnknownError('?'), new ResourceExhaustedError('busy'), new InvalidBookmarkError('?')]) {
      test.streams.refuse(error);
    }
    test.streams.accept().push(bootstrapped(1));
    expect(await test.after(500 + 1000 + 2000 + 4000)).toMatchObject({ type: 'bootstrapped' });
  });

  it('W15: an errored event that comes first after a resume is a refused bookmark', async () => {
    await using test = run(kindProgress());
    const compacted = new UnknownError('revision is compacted');
    test.first.push(noop(1)).break(cut);
    const second = test.streams.accept().push(noop(1)).push(errored(compacted), created('a', 2));
    expect(await test.after(500)).toMatchObject({
      type: 'errored',
      error: { code: 'invalid-bookmark', cause: compacted },
    });
    expect(await test.after(0)).toBeUndefined();
    expect(second.closed).toBe(true);
  });

  it('W15: a bookmark of the consumer can be refused so, too; a later errored event says what it says', async () => {
    const failure = new UnknownError('disk failed');
    await using early = run(kindProgress({ bookmark: at(1) }), { atBookmark: true });
    early.first.push(errored(failure));
    expect(await early.after(0)).toMatchObject({ error: { code: 'invalid-bookmark' } });
    await using late = run(kindProgress({ bookmark: at(1) }), { atBookmark: true });
    late.first.push(created('a', 2), errored(failure));
    expect([await late.after(0), await late.after(0)]).toEqual([created('a', 2), errored(failure)]);
  });

  it('W6: an aggregated bootstrap that breaks begins again, and nothing of the first one is given', async () => {
    await using test = run(arraysProgress({ bootstrap: true }), { aggregated: true });
    test.first.push(created('a'), created('b')).break(cut);
    test.streams.accept().push(created('b')).push(created('c'), bootstrapped(4)).push(noop(4));
    expect(await test.after(500)).toEqual([created('b'), created('c'), bootstrapped(4)]);
    expect(test.streams.attempts).toMatchObject([
      { bookmark: undefined, bootstrap: true, noop: true, aggregated: true },
    ]);
  });

  it('N4: a single bootstrap that breaks begins again, and the consumer is given the differences', async () => {
    await using test = run(kindProgress({ bootstrap: true }));
    const old = created('b');
    test.first.push(created('a'), old, created('d'), created('e')).break(cut);
    for (let i = 0; i < 4; i++) await test.after(0);
    test.streams
      .accept()
      .push(created('b', undefined, 2n), created('c'))
      .break(cut);
    expect([await test.after(500), await test.after(0), await test.after(0)]).toMatchObject([
      { type: 'destroyed', resource: { metadata: { id: 'a' } } },
      { type: 'updated', resource: { metadata: { id: 'b', version: 2n } }, old: { metadata: { version: 1n } } },
      { type: 'created', resource: { metadata: { id: 'c' } } },
    ]);
    test.streams.accept().push(created('b', undefined, 2n), created('c'), created('d'), bootstrapped(9));
    expect([await test.after(1000), await test.after(0)]).toMatchObject([
      { type: 'destroyed', resource: { metadata: { id: 'e' } } },
      { type: 'bootstrapped', bookmark: at(9) },
    ]);
  });

  it('N6: an aggregated watch that ends in resource-exhausted goes on unaggregated', async () => {
    await using test = run(arraysProgress(), { aggregated: true });
    const tooLarge = new ResourceExhaustedError('a message of 9 MB');
    test.first.push(noop(1)).break(tooLarge);
    const second = test.streams.accept().push(created('a', 2));
    expect(await test.after(500)).toEqual([created('a', 2)]);
    expect(test.streams.attempts).toMatchObject([{ bookmark: at(1), aggregated: false }]);
    expect(test.logs).toMatchObject([{ err: tooLarge, aggregated: false }]);
    // It gained something: there is more to come. After that, it does not.
    second.break(tooLarge);
    test.streams.accept().break(tooLarge);
    expect(await test.after(1000)).toEqual([errored(tooLarge)]);
  });

  it('N6: a bootstrap that is too large in arrays begins again unaggregated, and is joined', async () => {
    await using test = run(arraysProgress({ bootstrap: true }), { aggregated: true });
    test.first.break(new ResourceExhaustedError('a message of 9 MB'));
    test.streams.accept().push(created('a')).push(created('b')).push(bootstrapped(1));
    expect(await test.after(500)).toEqual([created('a'), created('b'), bootstrapped(1)]);
    expect(test.streams.attempts).toMatchObject([{ bootstrap: true, aggregated: false }]);
  });

  it('N6: after a healthy time it is aggregated again', async () => {
    await using test = run(arraysProgress(), { aggregated: true });
    test.first.push(noop(1)).break(new ResourceExhaustedError('a message of 9 MB'));
    const second = test.streams.accept();
    const next = test.watch.next();
    await test.clock.advance(500 + 30_000);
    second.break(cut);
    test.streams.accept().push(created('a', 2));
    await test.clock.advance(500);
    expect((await next).value).toEqual([created('a', 2)]);
    expect(test.streams.attempts.map(({ aggregated }) => aggregated)).toEqual([false, true]);
  });

  it('N6: a single watch whose next event is too large ends', async () => {
    await using test = run(kindProgress());
    const tooLarge = new ResourceExhaustedError('a message of 20 MB');
    test.first.push(created('a', 1)).break(tooLarge);
    test.streams.accept().break(tooLarge);
    expect([await test.after(0), await test.after(500)]).toEqual([created('a', 1), errored(tooLarge)]);
  });

  it('W15: a watch of a resource without a bookmark is established anew, and tells only what is new', async () => {
    await using test = run(new PointerProgress(plain));
    test.first.push(created('x')).break(cut);
    expect(await test.after(0)).toEqual(created('x'));
    test.streams.accept().push(created('x')).break(cut);
    test.streams
      .accept()
      .push(created('x', undefined, 2n))
      .break(cut);
    expect(await test.after(1500)).toEqual(created('x', undefined, 2n));
    test.streams.accept().push(destroyed('x')).break(cut);
    test.streams.accept().push(destroyed('x')).break(cut);
    expect(await test.after(2000)).toEqual(destroyed('x'));
    test.streams.accept().push(created('x', 5));
    expect(await test.after(4000 + 8000)).toEqual(created('x', 5));
    expect(test.streams.attempts.every(({ bookmark }) => bookmark === undefined)).toBe(true);
  });

  it('W15: a resource that was made anew is told, also at the same version', async () => {
    await using test = run(new PointerProgress(plain));
    test.first.push(created('x')).break(cut);
    await test.after(0);
    const anew: Event = { type: 'created', resource: thing('x', 1n, 2) };
    test.streams.accept().push(anew);
    expect(await test.after(500)).toEqual(anew);
  });

  it('W15: a watch of a resource goes on from its bookmark when it has one', async () => {
    await using test = run(new PointerProgress({ ...plain, tailEvents: 2 }));
    test.first.break(cut);
    test.streams.accept().push(created('x', 1)).break(cut);
    expect(await test.after(500)).toEqual(created('x', 1));
    test.streams.accept().push(created('x', 2));
    expect(await test.after(1000)).toEqual(created('x', 2));
    expect(test.streams.attempts).toMatchObject([
      { bookmark: undefined, tailEvents: 2 },
      { bookmark: at(1), tailEvents: 0 },
    ]);
  });

  it('W2: closing ends a delay and an attempt, and frees the stream that comes too late', async () => {
    const waiting = run(kindProgress());
    waiting.first.push(noop(1)).break(cut);
    const next = waiting.watch.next();
    await waiting.clock.advance(100);
    await waiting.watch.close();
    expect([(await next).done, waiting.clock.timers]).toEqual([true, 0]);

    const opening = run(kindProgress());
    opening.first.push(noop(1)).break(cut);
    const pending = opening.watch.next();
    await opening.clock.advance(500);
    expect(opening.streams.attempts).toHaveLength(1);
    await opening.watch.close();
    expect((await pending).done).toBe(true);
  });
});
