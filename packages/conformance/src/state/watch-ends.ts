import type { Event, Watch } from '@cosi-ts/state';
import { check, equal, rejection } from '../assertions.js';
import { CountedAbort } from '../counted-abort.js';
import type { StateSuite } from '../state-suite.js';
import type { StateTest } from '../state-test.js';

type AnyWatch = Watch<Event> | Watch<readonly Event[]>;

interface Form {
  readonly name: string;
  readonly open: (t: StateTest, signal?: AbortSignal) => Promise<AnyWatch>;
}

const forms: readonly Form[] = [
  { name: 'watch', open: (t, signal) => t.core.watch(t.at('a'), { signal }) },
  { name: 'watchKind', open: (t, signal) => t.core.watchKind(t.kind, { bootstrapContents: true, signal }) },
  {
    name: 'watchKindAggregated',
    open: (t, signal) => t.core.watchKindAggregated(t.kind, { bootstrapContents: true, signal }),
  },
];

/** All ways to end a watch. */
const endings: readonly [name: string, end: (watch: AnyWatch, abort: CountedAbort) => unknown][] = [
  ['return()', (watch) => watch.return()],
  ['close()', (watch) => watch.close()],
  ['disposing of it', (watch) => watch[Symbol.asyncDispose]()],
  ['an abort of its signal', (_, abort) => abort.abort(new Error('enough'))],
];

export function watchEndTests(suite: StateSuite): void {
  for (const form of forms) {
    endTests(suite, form);
    leakTests(suite, form);
  }
}

async function isDone(
  t: StateTest,
  next: Promise<IteratorResult<unknown, undefined>> | ReturnType<AnyWatch['next']>,
  what: string,
): Promise<void> {
  equal(await t.within(next, what), { done: true, value: undefined }, what);
}

function endTests({ it }: StateSuite, { name, open }: Form): void {
  for (const [ending, end] of endings) {
    it(`W2: ${ending} ends ${name}`, async (t) => {
      await t.create('a');
      const abort = new CountedAbort();
      const watch = await open(t, abort.signal);
      t.cleanup(() => watch.close());
      await t.within(watch.next(), 'the first item');
      await end(watch, abort);
      await isDone(t, watch.next(), `next() after ${ending}`);
      await t.create('b');
      await isDone(t, watch.next(), `a later next() after ${ending}`);
    });

    it(`W2: ${ending} ends a next() of ${name} that waits`, async (t) => {
      await t.create('a');
      const abort = new CountedAbort();
      const watch = await open(t, abort.signal);
      t.cleanup(() => watch.close());
      for (let i = 0; i < (name === 'watchKind' ? 2 : 1); i++) await t.within(watch.next(), 'the first items');
      const next = watch.next();
      await end(watch, abort);
      await isDone(t, next, `the next() that waited for ${ending}`);
    });

    it(`W2: ${ending} ends ${name} before its first read`, async (t) => {
      await t.create('a');
      const abort = new CountedAbort();
      const watch = await open(t, abort.signal);
      t.cleanup(() => watch.close());
      await end(watch, abort);
      await isDone(t, watch.next(), `next() after ${ending}`);
    });
  }

  it(`W2: ${name} can be read in a loop, and leaving the loop ends it`, async (t) => {
    await t.create('a');
    const watch = await open(t);
    t.cleanup(() => watch.close());
    let count = 0;
    for await (const _ of watch) {
      count++;
      break;
    }
    equal(count, 1, 'the items that the loop got');
    await isDone(t, watch.next(), 'next() after the loop');
  });

  it(`W2: ${name} can be ended any number of times, in every way`, async (t) => {
    const abort = new CountedAbort();
    const watch = await open(t, abort.signal);
    for (const [, end] of [...endings, ...endings]) await end(watch, abort);
    await isDone(t, watch.next(), 'next() at last');
  });

  it(`W2: a second next() of ${name} while one waits is a TypeError`, async (t) => {
    const watch = await t.core.watchKind(t.kind);
    t.cleanup(() => watch.close());
    const first = watch.next();
    const error = await rejection(watch.next(), 'the second next()');
    check(error instanceof TypeError, `it must reject with a TypeError, not ${error}`);
    await t.create('a');
    const { value } = await t.within(first, 'the first next()');
    equal(value?.type, 'created', 'what the first next() gives');
  });

  it(`W2: a watch that has ended does not disturb another of ${name}`, async (t) => {
    const first = await open(t);
    const second = t.reader(await t.core.watchKind(t.kind));
    await first.close();
    await t.quiet(second);
  });
}

function leakTests({ it, features }: StateSuite, { name, open }: Form): void {
  for (const [ending, end] of endings) {
    it(`W2: after ${ending}, ${name} listens to its signal no more`, async (t) => {
      await t.create('a');
      const abort = new CountedAbort();
      for (let i = 0; i < 3; i++) {
        const watch = await open(t, abort.signal);
        await t.within(watch.next(), 'the first item');
        await end(watch, abort);
        await watch.close();
        if (abort.signal.aborted) break;
      }
      equal(abort.listeners, 0, 'the number of listeners that are left');
    });

    if (!features.openWatches) continue;
    it(`W2: after ${ending}, ${name} holds nothing inside`, async (t) => {
      await t.create('a');
      const before = t.openWatches();
      const abort = new CountedAbort();
      const watches = [await open(t, abort.signal), await open(t, abort.signal)];
      t.cleanup(async () => {
        await Promise.all(watches.map((watch) => watch.close()));
      });
      check(t.openWatches() > before, 'open watches must be counted');
      await t.within((watches[0] as AnyWatch).next(), 'the first item');
      for (const watch of watches) await end(watch, abort);
      await t.eventually(() => equal(t.openWatches(), before, 'the number of watches that hold something'));
    });
  }
}
