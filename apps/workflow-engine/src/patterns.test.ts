import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { PatternFixture, patternsFolder } from './testing/pattern-fixture.js';

const succeeded = 'succeeded';
const files = readdirSync(patternsFolder).sort();

/** The example of a pattern, by its number. */
function start(number: number, inputs = {}): Promise<PatternFixture> {
  const file = files.find((name) => name.startsWith(`${String(number).padStart(2, '0')}-`));
  if (file === undefined) throw new Error(`there is no example of pattern ${number}`);
  return PatternFixture.start(file, inputs);
}

describe('the basic patterns', () => {
  it('1, sequence: one after the other', async () => {
    await using run = await start(1);
    for (const step of ['pick', 'pack', 'ship']) {
      await run.executes(step);
      run.succeed(step);
    }
    expect(await run.ends()).toMatchObject({ state: succeeded });
    expect(run.begun).toEqual(['pick', 'pack', 'ship']);
  });

  it('2, parallel split: both branches at once', async () => {
    await using run = await start(2);
    await run.executes('order');
    run.succeed('order');
    await run.executes('bill', 'pack');
    run.succeed('pack');
    run.succeed('bill');
    expect(await run.ends()).toMatchObject({ state: succeeded });
  });

  it('3, synchronization: only after the last branch', async () => {
    await using run = await start(3);
    await run.executes('bill', 'pack');
    run.succeed('pack');
    await run.reaches({ pack: succeeded });
    await run.clock.advance(60_000);
    await run.executes('bill');
    run.succeed('bill');
    await run.executes('ship');
    run.succeed('ship');
    expect(await run.ends()).toMatchObject({ state: succeeded });
    expect(run.begun.at(-1)).toBe('ship');
  });

  it.each([
    { amount: 50, chosen: 'by-rule', other: 'by-hand' },
    { amount: 1000, chosen: 'by-hand', other: 'by-rule' },
  ])('4, exclusive choice: $amount goes $chosen', async ({ amount, chosen, other }) => {
    await using run = await start(4, { amount });
    await run.executes('order');
    run.succeed('order');
    await run.executes(chosen);
    run.succeed(chosen);
    expect(await run.ends()).toEqual({
      state: succeeded,
      steps: { order: succeeded, [chosen]: succeeded, [other]: 'skipped' },
    });
  });

  it.each(['card', 'transfer'])('5, simple merge: goes on after the branch that was chosen, %s', async (payment) => {
    await using run = await start(5, { payment });
    await run.executes(payment);
    run.succeed(payment);
    await run.executes('ship');
    run.succeed('ship');
    expect(await run.ends()).toMatchObject({ state: succeeded });
    expect(run.begun).toEqual([payment, 'ship']);
  });
});

describe('branches and their joins', () => {
  it('6, multi-choice: every branch whose condition holds', async () => {
    await using run = await start(6);
    await run.executes('call');
    run.succeed('call');
    await run.executes('ambulance', 'fire-brigade');
    run.succeed('ambulance');
    run.succeed('fire-brigade');
    expect(await run.ends()).toMatchObject({ state: succeeded, steps: { police: 'skipped' } });
  });

  it('7, synchronizing merge: waits for those branches that were chosen', async () => {
    await using run = await start(7);
    await run.executes('ambulance', 'fire-brigade');
    run.succeed('ambulance');
    await run.reaches({ ambulance: succeeded, police: 'skipped' });
    await run.clock.advance(60_000);
    await run.executes('fire-brigade');
    run.succeed('fire-brigade');
    await run.executes('report');
    run.succeed('report');
    expect(await run.ends()).toMatchObject({ state: succeeded, steps: { police: 'skipped', report: succeeded } });
  });

  it('7, synchronizing merge: does not wait where only one was chosen', async () => {
    await using run = await start(7, { injured: false });
    await run.executes('fire-brigade');
    run.succeed('fire-brigade');
    await run.executes('report');
    run.succeed('report');
    expect(await run.ends()).toMatchObject({ state: succeeded });
  });

  it('8, multi-merge: what follows is executed for each branch, when that is over', async () => {
    await using run = await start(8);
    await run.executes('first-branch', 'second-branch');
    run.succeed('second-branch');
    await run.executes('first-branch', 'second-audit');
    run.succeed('second-audit');
    await run.reaches({ 'second-audit': succeeded });
    run.succeed('first-branch');
    await run.executes('first-audit');
    const texts = [...run.executor.open.values()].map(({ attempt }) => JSON.stringify(attempt.action));
    expect(texts[0]).toContain('writes into the book');
    run.succeed('first-audit');
    expect(await run.ends()).toMatchObject({ state: succeeded });
    expect(run.begun.filter((step) => step.endsWith('audit'))).toEqual(['second-audit', 'first-audit']);
  });

  it('9, discriminator: goes on after the first, once; the rest goes on, or is cancelled', async () => {
    await using run = await start(9);
    await run.executes('near', 'far', 'fast', 'slow');
    run.succeed('near');
    await run.executes('answer', 'far', 'fast', 'slow');
    run.succeed('answer');
    await run.reaches({ answer: succeeded });
    run.succeed('far');
    await run.reaches({ far: succeeded });
    run.succeed('fast');
    await run.executes('winner');
    run.succeed('winner');
    expect(await run.ends()).toMatchObject({ state: succeeded, steps: { far: succeeded, slow: 'cancelled' } });
    expect(run.executor.stops).toEqual(['r.slow cancelled']);
    expect(run.begun.filter((step) => step === 'answer' || step === 'winner')).toEqual(['answer', 'winner']);
  });
});

describe('the structure of runs', () => {
  it.each([
    { verdict: 'accepted', next: 'publish', other: 'archive' },
    { verdict: 'refused', next: 'archive', other: 'publish' },
  ])('10, arbitrary cycles: again and again, and out by $next', async ({ verdict, next, other }) => {
    await using run = await start(10);
    for (const [round, outcome] of ['again', 'again', verdict].entries()) {
      await run.executes(`review.${round}`);
      run.succeed(`review.${round}`, { verdict: outcome });
    }
    await run.executes(next);
    run.succeed(next);
    expect(await run.ends()).toMatchObject({ state: succeeded, steps: { [other]: 'skipped' } });
    expect(run.begun).toEqual(['review.0', 'review.1', 'review.2', next]);
  });

  it.each([
    ['show', 'store'],
    ['store', 'show'],
  ])('11, implicit termination: over when nothing is left, %s before %s', async (before, last) => {
    await using run = await start(11);
    await run.executes('measure', 'store');
    run.succeed('measure');
    await run.executes('show', 'store');
    run.succeed(before);
    await run.reaches({ [before]: succeeded });
    expect(await run.state()).toBe('running');
    run.succeed(last);
    expect(await run.ends()).toMatchObject({ state: succeeded });
  });
});

describe('many of the same', () => {
  it('12, without synchronization: nobody waits for them', async () => {
    await using run = await start(12);
    await run.executes('send.0', 'send.1', 'send.2', 'go-home');
    run.succeed('go-home');
    await run.reaches({ 'go-home': succeeded, send: 'running' });
    for (const index of [2, 0, 1]) run.succeed(`send.${index}`);
    expect(await run.ends()).toMatchObject({ state: succeeded });
  });

  it('13, known when written: three, and what follows waits for all', async () => {
    await using run = await start(13);
    await run.executes('sign.0', 'sign.1', 'sign.2');
    run.succeed('sign.2');
    run.succeed('sign.0');
    await run.clock.advance(60_000);
    await run.executes('sign.1');
    run.succeed('sign.1');
    await run.executes('file');
    run.succeed('file');
    expect(await run.ends()).toMatchObject({ state: succeeded });
  });

  it.each([{ parts: ['a', 'b', 'c', 'd'] }, { parts: [] }])(
    '14, known when run: as many as a step found, $parts',
    async ({ parts }) => {
      await using run = await start(14);
      await run.executes('count');
      run.succeed('count', { parts });
      const checks = parts.map((_, index) => `check.${index}`);
      await run.executes(...checks, ...(parts.length === 0 ? ['deliver'] : []));
      for (const check of checks) run.succeed(check);
      await run.executes('deliver');
      const [deliver] = run.executor.open.values();
      expect(JSON.stringify(deliver?.attempt.action)).toContain(`all ${parts.length} parts`);
      run.succeed('deliver');
      expect(await run.ends()).toMatchObject({ state: succeeded });
    },
  );

  it('15, not known before: more are begun while some are at work, and the end waits for all', async () => {
    await using run = await start(15);
    await run.executes('work', 'more.work', 'more.more.work');
    run.succeed('work');
    run.succeed('more.more.work');
    await run.executes('more.work', 'more.more.done');
    run.succeed('more.more.done');
    run.succeed('more.work');
    await run.executes('more.done');
    run.succeed('more.done');
    await run.executes('done');
    run.succeed('done');
    expect(await run.ends()).toMatchObject({ state: succeeded });
    expect(run.begun).toHaveLength(6);
  });
});

describe('choices of the world outside, and states', () => {
  it.each([
    { event: 'paid', next: 'ship', gone: ['withdrawn', 'too-late'] },
    { event: 'withdrawn', next: 'put-back', gone: ['paid', 'too-late'] },
  ])('16, deferred choice: $event comes first, and the others are withdrawn', async ({ event, next, gone }) => {
    await using run = await start(16);
    await run.reaches({ paid: 'waiting', withdrawn: 'waiting', 'too-late': 'waiting' });
    expect(run.begun).toEqual([]);
    await run.signal(event);
    await run.executes(next);
    await run.reaches(Object.fromEntries(gone.map((step) => [step, 'cancelled'])));
    run.succeed(next);
    expect(await run.ends()).toMatchObject({ state: succeeded });
    expect(run.begun).toEqual([next]);
  });

  it('16, deferred choice: time decides when nobody does', async () => {
    await using run = await start(16);
    await run.reaches({ 'too-late': 'waiting' });
    await run.clock.advance(3_600_000);
    await run.executes('put-back');
    run.succeed('put-back');
    expect(await run.ends()).toMatchObject({ steps: { paid: 'cancelled', withdrawn: 'cancelled', ship: 'skipped' } });
  });

  it('17, interleaved parallel routing: all of them, never two at once', async () => {
    await using run = await start(17);
    await run.executes('arrive');
    run.succeed('arrive');
    const seen: string[] = [];
    while (seen.length < 3) {
      const before = seen.length === 0 ? ['papers'] : [];
      await run.reaches(seen.length === 0 ? { papers: 'running' } : { [seen.at(-1) ?? '']: succeeded });
      await run.clock.advance(1000);
      const examined = run.executing.filter((step) => step !== 'papers');
      expect(examined).toHaveLength(1);
      const [now = ''] = examined;
      seen.push(now);
      if (before.length > 0) expect(run.executing).toContain('papers');
      run.succeed(now);
    }
    expect(seen.sort()).toEqual(['blood', 'eyes', 'heart']);
    run.succeed('papers');
    await run.executes('leave');
    run.succeed('leave');
    expect(await run.ends()).toMatchObject({ state: succeeded });
  });

  it('18, milestone: not before it, done while it lasts, and the departure goes on', async () => {
    await using run = await start(18);
    await run.executes('book');
    await run.signal('change-seat');
    await run.clock.advance(1000);
    await run.executes('book');
    run.succeed('book');
    await run.executes('change');
    run.succeed('change');
    await run.reaches({ change: succeeded, departure: 'waiting' });
    await run.signal('departure');
    await run.executes('fly');
    run.succeed('fly');
    expect(await run.ends()).toMatchObject({ state: succeeded, steps: { change: succeeded, departed: 'cancelled' } });
  });

  it('18, milestone: never after it', async () => {
    await using run = await start(18);
    await run.executes('book');
    run.succeed('book');
    await run.reaches({ asked: 'waiting', departure: 'waiting' });
    await run.signal('departure');
    await run.executes('fly');
    await run.reaches({ asked: 'cancelled', change: 'skipped' });
    await run.signal('change-seat');
    await run.clock.advance(1000);
    await run.executes('fly');
    run.succeed('fly');
    expect(await run.ends()).toMatchObject({ state: succeeded, steps: { asked: 'cancelled', change: 'skipped' } });
  });
});

describe('cancellation', () => {
  it('19, cancel activity: one step is withdrawn, and the run goes on', async () => {
    await using run = await start(19);
    await run.executes('search');
    await run.signal('enough');
    await run.executes('over');
    expect(run.executor.stops).toEqual(['r.search cancelled']);
    run.succeed('over');
    expect(await run.ends()).toEqual({
      state: succeeded,
      steps: { search: 'cancelled', enough: succeeded, over: succeeded },
    });
  });

  it('19, cancel activity: nothing is withdrawn from what ends by itself', async () => {
    await using run = await start(19);
    await run.executes('search');
    run.succeed('search');
    await run.executes('over');
    run.succeed('over');
    expect(await run.ends()).toMatchObject({ state: succeeded, steps: { search: succeeded, enough: 'cancelled' } });
  });

  it('20, cancel case: everything ends, and the clean-up is executed', async () => {
    await using run = await start(20);
    await run.executes('work');
    await run.reaches({ think: 'waiting' });
    await run.engine.cancel('r');
    await run.executes('tidy');
    expect(run.executor.stops).toEqual(['r.work cancelled']);
    run.succeed('tidy');
    expect(await run.ends()).toEqual({
      state: 'cancelled',
      steps: { work: 'cancelled', think: 'cancelled', after: 'cancelled', tidy: succeeded },
    });
  });
});

describe('patterns of which the engine ends again and again', () => {
  const outputs: Readonly<Record<string, object>> = { count: { parts: ['a', 'b'] } };
  const verdict = { verdict: 'accepted' };

  /** Ends what executes, one after the other, until the run is over. */
  async function finish(run: PatternFixture, before: () => Promise<void>) {
    for (;;) {
      await before();
      const step = await run.next();
      if (step === undefined) return run.ends();
      run.succeed(step, { ...(step.startsWith('review') ? verdict : outputs[step]) });
      await run.clock.advance(1000);
    }
  }

  // The others wait for somebody.
  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17])('E18: %d comes to the same', async (number) => {
    await using run = await start(number);
    const expected = await finish(run, () => Promise.resolve());
    await using interrupted = await start(number);
    expect(await finish(interrupted, () => interrupted.restart())).toEqual(expected);
    expect(expected.state).toBe(succeeded);
    expect(new Set(interrupted.begun.map((step) => step.replace(/#.*/, '')))).toEqual(new Set(run.begun));
    for (const keys of interrupted.executor.keys.values()) expect(keys.size).toBe(1);
  });
});

describe('the table of patterns', () => {
  it('has each of the twenty, with its example', async () => {
    const table = await readFile(new URL('../docs/patterns.md', import.meta.url), 'utf8');
    expect(files.map((name) => Number.parseInt(name, 10))).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    for (const [index, file] of files.entries()) {
      const row = table.split('\n').find((line) => line.startsWith(`| ${index + 1} |`));
      expect(row, file).toContain(`(../examples/patterns/${file})`);
    }
  });
});
