import { check, equal } from '../assertions.js';
import { ofInts, seenInts, sentencesOfStrings, stringsOfInts } from './controllers.js';
import { Ints, Sentences, Strings } from './kinds.js';
import type { RuntimeSuite } from './runtime-suite.js';
import { patientBackoff, type Run, type RuntimeTest } from './runtime-test.js';

/** Checks that a run that has ended has left nothing. */
function checkNothingLeft(t: RuntimeTest, run: Run): void {
  equal(t.clock.timers, 0, "timers of the runtime's clock that are left");
  equal(t.core.openWatches, 0, 'watches that are left');
  equal(run.signal.listeners, 0, 'listeners to its signal that are left');
  const { status, controllers, watches } = run.runtime.report();
  equal(status, 'stopped', 'its status');
  for (const { name, status, inProgress } of controllers) {
    equal([status, inProgress], ['stopped', 0], `the status of ${name}, and what it works on`);
  }
  equal(watches.length, 0, 'the watches in its report');
}

export function shutdownTests({ it, itIf, features }: RuntimeSuite): void {
  it('C7: the end leaves nothing behind, whatever went on', async (t) => {
    const work = { running: 0 };
    const working = ofInts(
      t.lib,
      async ({ id }, { signal }) => {
        if (id === 'i1') throw new Error('no luck');
        if (id === 'i2') return t.lib.requeueAfter(3_600_000);
        work.running++;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        work.running--;
      },
      { concurrency: 3 },
    );
    const failing = {
      name: 'Failing',
      inputs: [t.lib.weak(Ints.kind)],
      run: () => Promise.reject(new Error('no luck')),
    };
    const later = {
      name: 'Later',
      inputs: [t.lib.weak(Ints.kind)],
      async run({ events, queueReconcile }: { events: AsyncIterable<unknown>; queueReconcile(delayMs: number): void }) {
        for await (const _ of events) queueReconcile(3_600_000);
      },
    };
    await t.putMany('i', 10);
    const run = t.run([working, failing, later, stringsOfInts(t.lib), sentencesOfStrings(t.lib)], {
      cached: [Ints.kind, Strings.kind],
      backoff: patientBackoff,
    });
    await t.until(() => work.running === 3, 'all workers are at work');
    await t.until(() => run.report('Failing').isRestarting, 'a controller waits to be called again');
    await t.until(async () => (await t.state.list(Sentences.kind)).length === 10, 'there are 10 sentences');
    await run.stop();
    equal(work.running, 0, 'work that goes on');
    checkNothingLeft(t, run);
  });

  itIf(features.openWatches)('C7: the state holds nothing for a runtime that has ended', async (t) => {
    const before = t.stateWatches();
    const run = t.run([stringsOfInts(t.lib), sentencesOfStrings(t.lib)], { cached: [Ints.kind] });
    await t.until(() => t.stateWatches() >= before + 3, 'three kinds are watched');
    await run.stop();
    await t.becomes(() => t.stateWatches(), before, 'the watches that the state holds');
  });

  it('C7: what happens after the end is nothing to it', async (t) => {
    const { controller, calls } = seenInts(t.lib);
    const run = t.run([controller]);
    await t.put('a', 1);
    await t.becomes(() => calls, ['a'], 'the calls');
    await run.stop();
    await t.put('a', 2);
    await t.put('b', 1);
    equal(run.runtime.queue('SeenInts', Ints.at('a')), false, 'queueing after the end');
    // A runtime that begins now has seen it all when it has seen the last.
    const other = seenInts(t.lib);
    t.run([other.controller]);
    await t.until(() => other.seen.has('b'), 'another runtime has seen it');
    equal(calls, ['a'], 'the calls after the end');
  });

  it('C7: an end before the beginning, and in the middle of the start, leave nothing either', async (t) => {
    await t.putMany('i', 5);
    const early = t.run([stringsOfInts(t.lib), seenInts(t.lib).controller]);
    await early.stop();
    checkNothingLeft(t, early);
    t.core.break({});
    const broken = t.run([stringsOfInts(t.lib)], { cached: [Ints.kind] });
    await broken.stop();
    checkNothingLeft(t, broken);
  });

  it('C7: `close` ends a run, and waits for work', async (t) => {
    const order: string[] = [];
    const run = t.run([
      ofInts(t.lib, async (_, { signal }) => {
        order.push('began');
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        await new Promise<void>((resolve) => t.clock.schedule(5, resolve));
        order.push('ended');
      }),
    ]);
    await t.put('a', 1);
    await t.becomes(() => order, ['began'], 'what happened');
    await t.within(run.runtime.close(), 'the end');
    equal(order, ['began', 'ended'], 'what happened');
    await t.within(run.ended, 'the end of the run');
  });

  it('C7, Q4: another runtime goes on where one has ended', async (t) => {
    let isFailing = true;
    const controllers = () => [
      stringsOfInts(t.lib),
      t.lib.qtransform({
        name: 'SentencesOfStrings',
        input: Strings.kind,
        output: Sentences.kind,
        transform(draft, string) {
          if (isFailing && string.metadata.id !== 'i0') throw new Error('no luck');
          draft.spec.text = string.spec.text;
        },
      }),
    ];
    await t.putMany('i', 5);
    const first = t.run(controllers());
    await t.until(() => t.exists(Sentences.at('i0')), 'there is a sentence');
    const gone = t.started(t.state.teardownAndDestroy(Ints.at('i4')));
    await first.stop();
    await t.put('i1', 11);
    await t.put('new', 7);
    isFailing = false;
    const second = t.run(controllers());
    const expected = {
      i0: { text: '0' },
      i1: { text: '11' },
      i2: { text: '2' },
      i3: { text: '3' },
      new: { text: '7' },
    };
    await t.specsBecome(Sentences.kind, expected, 'the sentences');
    await t.within(gone, 'what was torn down meanwhile to go');
    check(second.report('StringsOfInts').restarts === 0, 'nothing must fail in the second runtime');
  });
}
