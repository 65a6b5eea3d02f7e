import {
  DeniedError,
  InvalidArgumentError,
  InvalidBookmarkError,
  ResourceExhaustedError,
  UnauthenticatedError,
  UnavailableError,
  UnknownError,
  UnsupportedError,
} from '@cosi-ts/resource';
import type { Event } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import {
  arraysProgress,
  at,
  bootstrapped,
  created,
  cut,
  errored,
  kindProgress,
  middle,
  noop,
  plain,
  type Run,
  run,
  Thing,
} from '../../testdata/watch-run.js';

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

  it('N4: a stream that is silent for too long is replaced, where nothing else would tell', async () => {
    await using test = run(kindProgress(), { maxSilenceMs: 60_000 });
    test.first.push(noop(1));
    test.streams.accept().push(created('a', 2));
    const next = test.watch.next();
    await test.clock.advance(59_999);
    expect(test.first.closed).toBe(false);
    await test.clock.advance(1);
    expect((await next).value).toEqual(created('a', 2));
    expect([test.first.closed, test.logs]).toEqual([true, []]);
    expect(test.streams.attempts).toMatchObject([{ bookmark: at(1), atMs: 60_000 }]);
    // The next attempt hangs, and the one after it is answered.
    const later = test.watch.next();
    await test.clock.advance(120_000);
    expect(test.logs).toMatchObject([{ err: { message: 'nothing came for 60000 ms' }, retryInMs: 500 }]);
    test.streams.accept().push(created('b', 3));
    await test.clock.advance(500);
    expect((await later).value).toEqual(created('b', 3));
  });

  it('N4: a stream that cannot be replaced is not given up for its silence', async () => {
    await using test = run(kindProgress(), { maxSilenceMs: 60_000 });
    const next = test.watch.next();
    await test.clock.advance(1_000_000);
    expect(test.first.closed).toBe(false);
    test.first.push(created('a', 2));
    expect((await next).value).toEqual(created('a', 2));
  });

  it('N5: a watch whose time is up ends with the error that says so', async () => {
    const late = new UnavailableError('late');
    for (const prepare of [
      (_test: Run<Event>) => {},
      ({ first }: Run<Event>) => void first.break(cut),
      ({ first, clock }: Run<Event>) => {
        first.break(cut);
        return clock.advance(500);
      },
    ]) {
      const expiry = new AbortController();
      await using test = run(kindProgress({ bookmark: at(1) }), { expiry: expiry.signal });
      const next = test.watch.next();
      await prepare(test);
      await test.clock.advance(0);
      expiry.abort(late);
      expect((await next).value).toEqual(errored(late));
      expect(await test.after(0)).toBeUndefined();
    }
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
