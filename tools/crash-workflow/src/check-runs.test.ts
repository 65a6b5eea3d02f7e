import { describe, expect, it } from 'vitest';
import { type Asked, checkRuns } from './check-runs.js';
import type { ResultView, Snapshot, StatusView } from './snapshot.js';

const asked: Asked = {
  id: 'r',
  n: 3,
  approved: true,
  isCancelled: false,
  workload: {
    name: 'double',
    source: '',
    weight: 1,
    expected: (n) => ({ state: 'succeeded', outputs: { value: 2 * n, of: [n] } }),
  },
};

const status: StatusView = {
  run: 'r',
  isTriedAgain: false,
  state: 'succeeded',
  message: '',
  hasEnd: true,
  outputs: '{"of":[3],"value":6}',
  steps: [{ step: 'a', state: 'succeeded', total: 1 }],
};

const result: ResultView = {
  id: 'r.a',
  run: 'r',
  step: 'a',
  index: -1,
  attempt: 1,
  state: 'succeeded',
  outputs: '',
  reason: '',
  hasEnd: true,
  isDue: false,
};

const snapshot = (change: Partial<StatusView> = {}, ofResult: Partial<ResultView> = {}): Snapshot => ({
  runs: ['r'],
  statuses: [{ ...status, ...change }],
  executions: [{ id: 'r.a', run: 'r', step: 'a', index: -1, attempt: 1, key: 'r.a/1', executor: 'run' }],
  results: [{ ...result, ...ofResult }],
});

describe('a run', () => {
  it('is right when it is over as its definition says', () => {
    expect(checkRuns([asked], snapshot())).toEqual([]);
  });

  it('may be cancelled when somebody asked for it, and may have succeeded before', () => {
    const cancelled = { ...asked, isCancelled: true };
    const change = { state: 'cancelled', outputs: '', steps: [] };
    expect(checkRuns([cancelled], snapshot(change))).toEqual([]);
    expect(checkRuns([cancelled], snapshot())).toEqual([]);
    expect(checkRuns([asked], snapshot(change))).toEqual(['r is cancelled instead of succeeded: ']);
  });

  it('is wrong when it is missing, has not ended, or ended in another way', () => {
    expect(checkRuns([{ ...asked, id: 's' }], snapshot())).toEqual(['s was acknowledged, and is not there']);
    expect(checkRuns([], snapshot({ state: 'running', hasEnd: false }))).toEqual(['r is running, without an end time']);
    expect(checkRuns([asked], snapshot({ state: 'failed', message: 'it broke' }))).toEqual([
      'r is failed instead of succeeded: it broke',
    ]);
    expect(checkRuns([], { ...snapshot(), runs: ['r', 's'] })).toEqual(['s has no status']);
  });

  it('is wrong when it gives another value', () => {
    expect(checkRuns([asked], snapshot({ outputs: '{"of":[3],"value":7}' }))).toEqual([
      'r gives {"of":[3],"value":7} instead of {"value":6,"of":[3]}',
    ]);
  });

  it('is wrong when something of it is not over', () => {
    const pending = { steps: [{ step: 'a', state: 'pending', total: 1 }] };
    expect(checkRuns([asked], snapshot(pending))).toContain('r is succeeded, and its step a is pending');
    expect(checkRuns([asked], snapshot({}, { state: 'running' }))).toContain('the result of r.a#1 is running');
    expect(checkRuns([asked], snapshot({}, { hasEnd: false }))).toEqual([
      'the result of r.a#1 is succeeded, without an end time',
    ]);
    expect(checkRuns([asked], snapshot({}, { isDue: true }))).toEqual([
      'the result of r.a#1 is succeeded, and another attempt is due',
    ]);
    expect(checkRuns([asked], snapshot({}, { attempt: 2 }))).toEqual(['r.a has #1, and a result of #2']);
    expect(checkRuns([asked], { ...snapshot(), results: [] })).toEqual([
      'r is succeeded, and a has no result',
      'r.a has no result',
    ]);
  });
});
