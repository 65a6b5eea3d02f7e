import { check, equal } from '../assertions.js';
import { ofInts, seenInts } from './controllers.js';
import { Gate } from './gate.js';
import { Ints, Strings } from './kinds.js';
import type { RuntimeSuite } from './runtime-suite.js';
import { patientBackoff } from './runtime-test.js';

export function queueTests({ it }: RuntimeSuite): void {
  it('Q2: a change during the work on an item has it worked on once more, with the newest', async (t) => {
    const gate = new Gate();
    const seen: number[] = [];
    const others: string[] = [];
    let atOnce = 0;
    const controller = ofInts(
      t.lib,
      async ({ id }, { state }) => {
        if (id !== 'a') return void others.push(id);
        check(++atOnce === 1, 'it is worked on twice at once');
        const { spec } = await state.get(Ints.at('a'));
        seen.push(spec.value);
        if (seen.length === 1) await gate.opened;
        atOnce--;
      },
      { concurrency: 4 },
    );
    const witness = seenInts(t.lib);
    const run = t.run([controller, witness.controller], { backoff: patientBackoff });
    await t.put('a', 1);
    await t.becomes(() => seen, [1], 'the values that were worked on');
    for (const value of [2, 3, 4]) await t.put('a', value);
    await t.becomes(() => witness.seen.get('a'), '4', 'what another controller has seen');
    await t.put('b', 1);
    await t.until(() => others.includes('b'), 'another item is worked on meanwhile');
    equal(seen, [1], 'the values that were worked on meanwhile');
    gate.open();
    await t.becomes(() => seen, [1, 4], 'the values that were worked on');
    await t.put('c', 1);
    await t.until(() => others.includes('c'), 'a later item is worked on');
    equal(seen, [1, 4], 'the values that were worked on, later');
    equal(run.report('OfInts').counts.failed, 0, 'failures');
  });

  it('Q2: an item is in the queue once', async (t) => {
    const gate = new Gate();
    const calls: string[] = [];
    const controller = ofInts(t.lib, async ({ id }) => {
      calls.push(id);
      if (id === 'first') await gate.opened;
    });
    const witness = seenInts(t.lib);
    const run = t.run([controller, witness.controller]);
    await t.put('first', 1);
    await t.becomes(() => calls, ['first'], 'the calls');
    for (let value = 0; value < 10; value++) {
      await t.put('a', value);
      run.runtime.queue('OfInts', Ints.at('a'));
    }
    await t.becomes(() => witness.seen.get('a'), '9', 'what another controller has seen');
    await t.becomes(() => run.report('OfInts').queueLength, 1, 'the length of the queue');
    gate.open();
    await t.put('last', 1);
    await t.becomes(() => calls, ['first', 'a', 'last'], 'the calls');
  });

  it('Q3: so many items at once as was declared, and no more', async (t) => {
    for (const [name, concurrency] of [
      ['One', undefined],
      ['Three', 3],
    ] as const) {
      const gate = new Gate();
      let [running, most, done] = [0, 0, 0];
      const controller = ofInts(
        t.lib,
        async () => {
          most = Math.max(most, ++running);
          await gate.opened;
          running--;
          done++;
        },
        { name, concurrency },
      );
      if (concurrency === undefined) await t.putMany('i', 9);
      const run = t.run([controller]);
      const expected = concurrency ?? 1;
      await t.becomes(() => running, expected, 'how many items are worked on');
      await t.becomes(() => run.report(name).queueLength, 9 - expected, 'the length of the queue');
      gate.open();
      await t.until(() => done === 9, 'all are done');
      equal(most, expected, 'how many were worked on at once at most');
    }
  });

  it('Q4: at the start every item is queued, also when the list fails at first', async (t) => {
    const ids = await t.putMany('i', 30);
    const { controller, seen } = seenInts(t.lib);
    t.core.break({});
    const run = t.run([controller]);
    await t.until(() => t.core.askedWatches >= 3, 'it was tried again');
    equal([...seen], [], 'what was seen meanwhile');
    t.core.mend();
    await t.until(
      () => ids.every((id) => seen.has(id)),
      () => `all were seen: ${[...seen.keys()]}`,
    );
    equal(run.report('SeenInts').restarts, 0, 'restarts');
  });

  it('Q5: others do not wait for an item that failed, and a change runs it at once', async (t) => {
    const calls: string[] = [];
    const controller = ofInts(t.lib, ({ id }, { attempt }) => {
      calls.push(`${id} ${attempt}`);
      if (id === 'bad' && attempt < 3) throw new Error('no luck');
    });
    const run = t.run([controller], { backoff: patientBackoff });
    await t.put('bad', 1);
    await t.put('good', 1);
    await t.becomes(() => calls, ['bad 1', 'good 1'], 'the calls');
    equal(run.report('OfInts').waiting, 1, 'the items that wait');
    await t.put('bad', 2);
    await t.becomes(() => calls, ['bad 1', 'good 1', 'bad 2'], 'the calls after a change');
    run.runtime.queue('OfInts', Ints.at('bad'));
    await t.becomes(() => calls.at(-1), 'bad 3', 'the last call after it was queued');
    await t.put('bad', 3);
    await t.becomes(() => calls.at(-1), 'bad 1', 'the last call, with the failures forgotten');
  });

  it('Q5: an item that fails is tried again, later each time', async (t) => {
    const times: number[] = [];
    const controller = ofInts(t.lib, () => {
      times.push(t.clock.monotonicMs());
      if (times.length < 5) throw new Error('no luck');
    });
    const run = t.run([controller], { backoff: { initialMs: 3, maxMs: 12, factor: 2, jitter: 0 } });
    await t.put('a', 1);
    await t.until(
      () => times.length === 5,
      () => `it was called five times: ${times.length}`,
    );
    for (const [i, least] of [3, 6, 12, 12].entries()) {
      const pauseMs = (times[i + 1] ?? 0) - (times[i] ?? 0);
      check(pauseMs >= least - 1, `the pause after failure ${i + 1} must be ${least} ms, it was ${pauseMs} ms`);
    }
    equal(run.report('OfInts').counts.failed, 4, 'failures');
    equal(run.report('OfInts').restarts, 0, 'restarts');
  });

  it('Q5: a requeue is no failure, with an error it is one', async (t) => {
    const calls: number[] = [];
    const controller = ofInts(t.lib, (_, { attempt }) => {
      calls.push(attempt);
      if (calls.length === 1) return t.lib.requeueAfter(3);
      if (calls.length === 2) throw new t.lib.RequeueError(3);
      if (calls.length === 3) throw new t.lib.RequeueError(3, { cause: new Error('no luck') });
    });
    const run = t.run([controller], { backoff: patientBackoff });
    await t.put('a', 1);
    await t.becomes(() => calls, [1, 1, 1, 2], 'the attempts');
    equal(run.report('OfInts').counts.requeued, 3, 'requeues');
    equal(run.report('OfInts').counts.failed, 1, 'failures');
    equal(
      t.log.errorsOf('OfInts').map(({ err }) => (err as Error).message),
      ['no luck'],
      'the errors in the log',
    );
  });

  it('Q6: an item that is skipped has not failed, and is left until something changes', async (t) => {
    const calls: number[] = [];
    const controller = ofInts(t.lib, (_, { attempt }) => {
      calls.push(attempt);
      if (calls.length === 1) throw new Error('no luck');
      throw new t.lib.SkipError('not yet');
    });
    const run = t.run([controller]);
    await t.put('a', 1);
    await t.becomes(() => calls, [1, 2], 'the attempts');
    await t.becomes(() => run.report('OfInts').counts.skipped, 1, 'skips');
    equal(run.report('OfInts').counts.failed, 1, 'failures');
    equal(run.report('OfInts').waiting, 0, 'the items that wait');
    await t.put('a', 2);
    await t.becomes(() => calls, [1, 2, 1], 'the attempts after a change');
    equal(t.log.errorsOf('OfInts').length, 1, 'the errors in the log');
  });

  it('Q7: a run hook runs beside the workers, and again when it throws', async (t) => {
    let hooks = 0;
    const { controller, seen } = seenInts(t.lib);
    const run = t.run([
      {
        ...controller,
        async runHook({ queue, signal }) {
          if (++hooks < 3) throw new Error('no luck');
          queue(Ints.at('from-the-hook'));
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        },
      },
    ]);
    await t.put('a', 1);
    await t.becomes(() => seen.get('a'), '1', 'what was seen');
    await t.becomes(() => seen.get('from-the-hook'), 'gone', 'what the hook had reconciled');
    equal(run.report('SeenInts').restarts, 2, 'restarts');
    await run.stop();
  });

  it('Q7: shutdown hooks run when all work has ended', async (t) => {
    const order: string[] = [];
    const working = ofInts(
      t.lib,
      async (_, { signal }) => {
        order.push('began');
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        await new Promise<void>((resolve) => t.clock.schedule(5, resolve));
        order.push('ended');
      },
      {
        async shutdownHook({ state }) {
          order.push(`hook of a queue, ${(await state.list(Ints.kind)).length} ints`);
        },
      },
    );
    const plain = {
      name: 'Plain',
      inputs: [t.lib.weak(Ints.kind)],
      run: async () => undefined,
      shutdownHook: () => void order.push('hook'),
    };
    await t.put('a', 1);
    const run = t.run([plain, working]);
    await t.becomes(() => order, ['began'], 'what happened');
    await run.stop();
    equal(order.slice(0, 2), ['began', 'ended'], 'what happened first');
    equal(order.slice(2).sort(), ['hook', 'hook of a queue, 1 ints'], 'what happened then');
  });

  it('Q8: what changes now goes before what was listed at the start, which goes on all the same', async (t) => {
    const ids = await t.putMany('listed', 40);
    const calls: string[] = [];
    const gate = new Gate();
    const controller = ofInts(t.lib, async ({ id }) => {
      calls.push(id);
      if (calls.length === 1) await gate.opened;
      // There is always something new.
      if (id.startsWith('live') && ids.some((listed) => !calls.includes(listed)))
        run.runtime.queue('OfInts', Ints.at(id));
      await undefined;
    });
    const witness = seenInts(t.lib);
    const run = t.run([controller, witness.controller]);
    await t.until(() => calls.length === 1, 'work has begun');
    await t.put('live', 1);
    await t.until(() => witness.seen.has('live'), 'the change has come');
    gate.open();
    await t.until(() => calls.includes('live'), 'the change was dealt with');
    check(calls.indexOf('live') <= 3, `the change waited behind ${calls.indexOf('live')} items`);
    await t.until(() => ids.every((id) => calls.includes(id)), 'the others were dealt with, too');
  });

  it('Q9: work past its deadline is aborted, counted, and tried again, while others go on', async (t) => {
    const calls: string[] = [];
    const reasons: unknown[] = [];
    const controller = ofInts(
      t.lib,
      async ({ id }, { attempt, signal }) => {
        calls.push(`${id} ${attempt}`);
        if (id !== 'slow' || attempt > 1) return;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        reasons.push((signal.reason as { code?: unknown }).code);
        signal.throwIfAborted();
      },
      { reconcileDeadlineMs: 30 },
    );
    const run = t.run([controller]);
    await t.put('slow', 1);
    await t.until(() => calls.includes('slow 1'), 'work has begun');
    await t.put('other', 1);
    await t.until(
      () => calls.includes('other 1') && calls.includes('slow 2'),
      () => `all were called: ${calls}`,
    );
    equal(run.report('OfInts').counts.timedOut, 1, 'timeouts');
    equal(reasons, ['runtime/deadline'], "the reason of the work's signal");
  });

  it('Q9: work that ignores its signal is in the report, and the end waits for it no longer than the grace time', async (t) => {
    const gate = new Gate();
    let began = 0;
    const controller = ofInts(
      t.lib,
      async ({ id }) => {
        if (id !== 'deaf') return;
        began++;
        await gate.opened;
      },
      { reconcileDeadlineMs: 20 },
    );
    const run = t.run([controller], { shutdownGraceMs: 20 });
    await t.put('deaf', 1);
    await t.becomes(() => run.report('OfInts').overdue.map(({ id }) => id), ['deaf'], 'what is overdue');
    equal(began, 1, 'how often it was begun');
    const health = run.runtime.report().health.parts.find(({ name }) => name === 'OfInts');
    equal(health?.status, 'degraded', 'its health');
    await t.put('other', 1);
    await run.stop();
    equal(run.report('OfInts').status, 'stuck', 'its status after the end');
    gate.open();
  });

  it('Q10: a conflict is an error like others, and the change that removes its cause runs the item at once', async (t) => {
    await t.state.create(Strings.new('a', { text: 'foreign' }), { owner: 'Foreign' });
    let calls = 0;
    const controller = ofInts(
      t.lib,
      async ({ id }, { state }) => {
        calls++;
        await state.modify(Strings.at(id), (draft) => {
          draft.spec.text = 'own';
        });
      },
      {
        inputs: [t.lib.primary({ ...Ints.kind }), t.lib.mapped(Strings.kind, t.lib.sameId(Ints.kind))],
        outputs: [t.lib.exclusive(Strings)],
      },
    );
    const witness = seenInts(t.lib);
    await t.put('a', 1);
    const run = t.run([controller, witness.controller], { backoff: patientBackoff });
    await t.until(() => run.report('OfInts').counts.failed >= 1, 'it has failed');
    // What there is to be told at the start is told by now, so that it fails no more.
    await t.put('last', 1);
    await t.until(() => witness.seen.has('last'), 'a later change has come');
    const { failed } = run.report('OfInts').counts;
    check(failed <= 3, `it is tried again and again without a change: ${failed} failures`);
    await t.state.destroy(Strings.at('a'), { owner: 'Foreign' });
    await t.until(async () => (await t.find(Strings.at('a')))?.spec.text === 'own', 'the output is written');
    check(calls >= 2, 'it must have been called again');
  });
}
