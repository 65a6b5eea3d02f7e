import { describe, expect, it } from 'vitest';
import type { ExecutionView } from '../http/execution-view.js';
import type { RunView } from '../http/run-view.js';
import { LineProgress } from './line-progress.js';

function run(...steps: readonly [step: string, state: string, total?: number][]): RunView {
  return {
    id: 'r',
    state: 'running',
    message: '',
    steps: steps.map(([step, state, total = 1]) => {
      const isGood = state === 'succeeded';
      return { step, state, total, running: 0, succeeded: isGood ? total : 0, failed: 0, dropped: 0 };
    }),
  } as never;
}

function execution(step: string, state: string, index = -1): ExecutionView {
  const [startedAt, endedAt] = ['2030-01-01T00:00:00.000Z', '2030-01-01T00:00:02.000Z'];
  return { step, state, index, attempt: 1, startedAt, endedAt, waitingFor: '', error: null } as never;
}

function progress() {
  const lines: string[] = [];
  return { lines, progress: new LineProgress({ note: (line: string) => lines.push(line) } as never, () => 0) };
}

describe('the progress of a run in lines', () => {
  it('tells a step once, with what is known of its execution', () => {
    const { lines, progress: told } = progress();
    told.onRun(run(['a', 'succeeded'], ['b', 'skipped']));
    told.onExecutions([execution('a', 'succeeded')]);
    told.end();
    expect(lines).toEqual(['a: succeeded, 2.0 s', 'b: skipped']);
  });

  it('tells at the end what it has heard nothing more of', () => {
    const { lines, progress: told } = progress();
    told.onExecutions([execution('b', 'running')]);
    told.onRun(run(['a', 'succeeded'], ['b', 'cancelled']));
    expect(lines).toEqual([]);
    told.end();
    expect(lines).toEqual(['a: succeeded', 'b: cancelled']);
  });

  it('tells that a step waits for a worker', () => {
    const { lines, progress: told } = progress();
    told.onRun(run(['a', 'running']));
    expect(lines).toEqual([]);
    told.onExecutions([{ ...execution('a', 'pending'), waitingFor: 'a worker that serves gpu=yes' }]);
    told.onExecutions([execution('a', 'running')]);
    expect(lines).toEqual(['a: pending: waits for a worker that serves gpu=yes', 'a: running, 2.0 s']);
  });

  it('tells a step with one item as soon as it is heard of', () => {
    const { lines, progress: told } = progress();
    told.onExecutions([execution('a', 'running', 0)]);
    told.onRun(run(['a', 'running']));
    expect(lines).toEqual(['a: running']);
  });
});
