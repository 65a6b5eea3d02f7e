import { describe, expect, it } from 'vitest';
import { GoTestReader } from './go-tests.js';
import type { TestOutcome } from './outcome.js';

const read = (text: string, exitCode = 0) => {
  const told: string[] = [];
  const reader = new GoTestReader(({ title }) => told.push(title));
  for (const line of text.split('\n')) reader.line(line);
  return { outcomes: reader.outcomes(exitCode), told };
};

const short = ({ title, verdict, note, tookMs }: TestOutcome) => [title, verdict, note, tookMs];

describe('what Go’s tests print', () => {
  it('gives the outcomes of the innermost tests', () => {
    const { outcomes, told } = read(`=== RUN   TestState
=== RUN   TestState/TestA
=== RUN   TestState/TestB
=== RUN   TestState/TestB/part
--- PASS: TestState (3.02s)
    --- PASS: TestState/TestA (0.50s)
    --- PASS: TestState/TestB (2.00s)
        --- PASS: TestState/TestB/part (2.00s)
PASS`);
    expect(outcomes.map(short)).toEqual([
      ['TestState/TestA', 'passed', undefined, 500],
      ['TestState/TestB/part', 'passed', undefined, 2000],
    ]);
    expect(told).toHaveLength(4);
  });

  it('tells what failing tests printed', () => {
    const { outcomes } = read(
      `=== RUN   TestState
=== RUN   TestState/TestA
    state.go:7:
        	Error: 	Not equal
=== RUN   TestState/TestB
    state.go:9: not here
--- FAIL: TestState (0.00s)
    --- FAIL: TestState/TestA (0.00s)
    --- SKIP: TestState/TestB (0.00s)
FAIL`,
      1,
    );
    expect(outcomes.map(short)).toEqual([
      ['TestState/TestA', 'failed', 'state.go:7:\nError: 	Not equal', 0],
      ['TestState/TestB', 'skipped', 'state.go:9: not here', 0],
    ]);
  });

  it('tells a parent that fails by itself', () => {
    const { outcomes } = read(
      '=== RUN   TestA\n=== RUN   TestA/b\n--- FAIL: TestA (0.00s)\n    --- PASS: TestA/b (0.00s)',
      1,
    );
    expect(outcomes.map(({ title, verdict }) => [title, verdict])).toEqual([
      ['TestA', 'failed'],
      ['TestA/b', 'passed'],
    ]);
  });

  it('tells tests that did not end, and programs that failed without a test', () => {
    const { outcomes } = read('=== RUN   TestA\npanic: oh dear', 2);
    expect(outcomes.map(short)).toEqual([['TestA', 'failed', 'it did not end\npanic: oh dear', 0]]);
    expect(read('', 3).outcomes.map(short)).toEqual([['the program', 'failed', 'exit code 3\n', 0]]);
  });
});
