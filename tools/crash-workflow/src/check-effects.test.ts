import { describe, expect, it } from 'vitest';
import { checkEffects } from './check-effects.js';
import { againLine, heldLine, killLine, overLine, readEffects, releasedLine } from './effects.js';
import type { ExecutionView, ResultView } from './snapshot.js';

const line = (what: string, attempt: number, step = 'a', executor = 'run') =>
  `${[what, executor, `r.${step}/1`, attempt, 'r', step, -1, 4711].join('\t')}\n`;

const execution = (attempt: number, step = 'a', executor = 'run'): ExecutionView => {
  return { id: `r.${step}`, run: 'r', step, index: -1, attempt, key: `r.${step}/1`, executor };
};

const result = (attempt: number, state = 'succeeded', step = 'a'): ResultView => {
  const id = `r.${step}`;
  return { id, run: 'r', step, index: -1, attempt, state, outputs: '', reason: '', hasEnd: true, isDue: false };
};

const check = (lines: readonly string[], of: ExecutionView, is: ResultView) =>
  checkEffects(readEffects(lines.join('')), [of], [is], new Set(['timed']));

describe('what attempts tell', () => {
  it('is right when the one that counts was done once', () => {
    expect(check([line('begin', 1), line('done', 1)], execution(1), result(1))).toEqual([]);
  });

  it('is right when a process was killed together with the engine, and made again', () => {
    const lines = [line('begin', 1), killLine('all'), line('begin', 2), line('done', 2), overLine('r.a/1')];
    expect(check(lines, execution(2), result(2))).toEqual([]);
  });

  it('is right when the number of an attempt is missing that never began', () => {
    expect(check([killLine('engine'), line('begin', 2), line('done', 2)], execution(2), result(2))).toEqual([]);
  });

  it('is right when attempts failed before, or had a time limit', () => {
    const failed = [line('begin', 1), line('failed', 1), line('begin', 2), line('done', 2)];
    expect(check(failed, execution(2), result(2))).toEqual([]);
    const timed = [line('begin', 1, 'timed'), line('begin', 2, 'timed'), line('done', 2, 'timed')];
    expect(check(timed, execution(2, 'timed'), result(2, 'succeeded', 'timed'))).toEqual([]);
  });

  it('shows a process that was made again although only the engine was killed', () => {
    const lines = [line('begin', 1), killLine('engine'), line('begin', 2), line('done', 2)];
    expect(check(lines, execution(2), result(2))).toEqual(['r.a#2 began before #1 had ended']);
  });

  it('takes a function for interrupted by the end of the engine', () => {
    const lines = [line('begin', 1, 'f', 'function'), killLine('engine')];
    const again = [line('begin', 2, 'f', 'function'), line('done', 2, 'f', 'function')];
    const of = execution(2, 'f', 'function');
    expect(check([...lines, ...again], of, result(2, 'succeeded', 'f'))).toEqual([]);
    expect(check([lines[0] as string, ...again], of, result(2, 'succeeded', 'f'))).toEqual([
      'r.f#2 began before #1 had ended',
    ]);
  });

  it('is right when the run was tried again, and its steps that had not succeeded', () => {
    const lines = [line('begin', 1), againLine('r'), line('begin', 2), line('done', 2)];
    expect(check(lines, execution(2), result(2))).toEqual([]);
    const other = [line('begin', 1), againLine('r2'), line('begin', 2), line('done', 2)];
    expect(check(other, execution(2), result(2))).toEqual(['r.a#2 began before #1 had ended']);
    const over = [line('begin', 1), line('done', 1), overLine('r.a/1'), againLine('r')];
    expect(check([...over, line('begin', 2), line('done', 2)], execution(2), result(2))).toEqual([
      'r.a#2 began after the engine had said that it was over with #1',
    ]);
  });

  it('shows what was done a second time', () => {
    const again = [line('begin', 1), line('done', 1), line('begin', 2), line('done', 2)];
    expect(check(again, execution(2), result(2))).toEqual(['r.a#2 began after #1 was done']);
    const same = [line('begin', 1), line('done', 1), line('begin', 1), line('done', 1)];
    expect(check(same, execution(1), result(1))).toContain('r.a#1 began after #1');
    expect(check([line('begin', 1), line('done', 1), line('done', 1)], execution(1), result(1))).toEqual([
      'r.a#1 was done after it was done',
    ]);
  });

  it('shows what began again after the engine had said that it was over, even after a kill', () => {
    const lines = [line('begin', 1), line('done', 1), overLine('r.a/1'), killLine('all')];
    expect(check([...lines, line('begin', 2), line('done', 2)], execution(2), result(2))).toEqual([
      'r.a#2 began after the engine had said that it was over with #1',
    ]);
  });

  it('E5: shows what began while its run was paused, and was not recorded before', () => {
    const held = heldLine('r', new Map([['r.a/1', 1]]));
    const [first, ended] = [
      [line('begin', 1), line('failed', 1)],
      [line('begin', 2), line('done', 2)],
    ];
    const paused = ['r.a#2 began while its run was paused'];
    expect(check([held, ...first, ...ended], execution(2), result(2))).toEqual(paused);
    expect(check([heldLine('r', new Map()), ...ended], execution(2), result(2))).toEqual(paused);
    expect(check([held, ...first, killLine('all'), ...ended], execution(2), result(2))).toEqual(paused);
    expect(check([held, ...first, releasedLine('r'), ...ended], execution(2), result(2))).toEqual([]);
    expect(check([heldLine('r2', new Map()), ...ended], execution(2), result(2))).toEqual([]);
    // A run that another one has begun goes on with it.
    expect(check([held, releasedLine('r2'), ...ended], execution(2), result(2))).toEqual(paused);
  });

  it('shows two attempts at once', () => {
    const lines = [line('begin', 1), killLine('all'), line('overlap', 2), line('begin', 2), line('done', 2)];
    expect(check(lines, execution(2), result(2))).toEqual(['r.a#2 began while another one went on']);
    const late = [line('begin', 1), killLine('all'), line('begin', 2), line('done', 1), line('done', 2)];
    expect(check(late, execution(2), result(2))).toEqual(['r.a#1 was done, and is not the newest that began']);
  });

  it('shows a success without its effect, and an effect that nobody knows of', () => {
    expect(check([], execution(1), result(1))).toEqual(['r.a has succeeded, and did nothing']);
    expect(check([line('begin', 1)], execution(1), result(1))).toEqual([
      'r.a has succeeded with #1, and the last that happened is #1, not ended',
    ]);
    expect(check([line('begin', 2), line('done', 2)], execution(1), result(1, 'failed'))).toContain(
      'r.a#2 was not recorded: the newest is 1',
    );
    expect(check([line('begin', 1, 'b'), line('done', 1, 'b')], execution(1), result(1, 'cancelled'))).toContain(
      'r.b#1 has effects, and no execution has its key r.b/1',
    );
  });

  it('shows a key that two executions have', () => {
    const two = [execution(1), { ...execution(1, 'b'), key: 'r.a/1' }];
    expect(checkEffects([], two, [], new Set())).toContain('two executions have the same idempotency key');
  });
});

describe('readEffects', () => {
  it('refuses lines that were not written at once', () => {
    expect(() => readEffects('begin\trun')).toThrow('cut off');
    expect(() => readEffects('begin\trubegin\trun\tk\n')).toThrow('no effect');
  });
});
