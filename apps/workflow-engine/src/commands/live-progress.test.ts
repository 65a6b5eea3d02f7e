import { describe, expect, it } from 'vitest';
import type { ExecutionView } from '../http/execution-view.js';
import type { RunView, StepSummaryView } from '../http/run-view.js';
import { LiveProgress } from './live-progress.js';
import type { Terminal } from './terminal.js';

const now = Date.parse('2030-01-01T00:00:10Z');
const started = '2030-01-01T00:00:00.000Z';

function step(name: string, state: string, more: Partial<StepSummaryView> = {}): StepSummaryView {
  return { step: name, state, total: 1, running: 0, succeeded: 0, failed: 0, dropped: 0, ...more };
}

function execution(name: string, state: string, more: Partial<ExecutionView> = {}): ExecutionView {
  return {
    ...{ step: name, index: -1, attempt: 1, startedAt: started, endedAt: null, error: null, hasLog: true },
    elsewhere: null,
    ...{ attemptStartedAt: started, attemptEndedAt: null },
    ...{ worker: '', waitingFor: '', waitingUntil: null },
    state: state as ExecutionView['state'],
    ...more,
  };
}

function run(steps: readonly StepSummaryView[], state: RunView['state'] = 'running'): RunView {
  return {
    ...{ id: 'r', workflow: 'w', message: '', paused: false, priority: 0, retries: 0, trigger: 'user' },
    ...{ concurrencyKey: '', parent: '', parentStep: '', created: started, startedAt: started, endedAt: null },
    state,
    steps,
  };
}

function progress(terminal: Partial<Terminal> = {}) {
  const written: string[] = [];
  const live = new LiveProgress(
    {
      ...{ isLive: true, hasColors: false, columns: 60, rows: 24 },
      print: (line) => written.push(line),
      note: (line) => written.push(line),
      write: (text) => written.push(text),
      ...terminal,
    },
    () => now,
  );
  return { live, written };
}

describe('the progress of a run in a terminal', () => {
  it('has a line for the run and one for each step', () => {
    const { live } = progress();
    live.onExecutions([
      execution('build', 'succeeded', { endedAt: '2030-01-01T00:00:02.500Z' }),
      execution('ask', 'waiting', { waitingFor: 'Release it?' }),
      execution('bad', 'failed', { attempt: 3, error: { reason: 'exit', message: 'exit code 3', exitCode: 3 } }),
    ]);
    const items = { total: 100, succeeded: 49, failed: 1, running: 4 };
    live.onRun(
      run([step('build', 'succeeded'), step('items', 'running', items), step('ask', 'waiting'), step('bad', 'failed')]),
    );
    const [head, ...lines] = live.lines();
    expect(head).toMatch(/r {2}running 10 s$/);
    expect(lines).toEqual([
      '  ✓ build  succeeded, 2.5 s',
      '  ▸ items  ██████████░░░░░░░░░░ running 50/100, 4 at once,…',
      '  ◦ ask    waiting, 10 s: Release it?',
      '  ✗ bad    failed, 10 s, attempt 3: exit code 3',
    ]);
    live.end();
  });

  it('is drawn again over what was drawn before', () => {
    const { live, written } = progress();
    live.onRun(run([step('a', 'running')]));
    live.onRun(run([step('a', 'succeeded')], 'succeeded'));
    live.end();
    expect(written).toHaveLength(2);
    expect(written[0]?.startsWith('\r')).toBe(true);
    expect(written[1]?.startsWith('\u001b[2A')).toBe(true);
    expect(written[1]).toContain('✓ r  succeeded');
  });

  it('leaves out steps that have no room, and those that are over and well first', () => {
    const { live } = progress({ rows: 6 });
    const steps = Array.from({ length: 10 }, (_, i) => step(`s${i}`, i < 8 ? 'succeeded' : 'running'));
    live.onRun(run(steps));
    const lines = live.lines();
    expect(lines).toHaveLength(4);
    expect(lines.join('\n')).toMatch(/s8[\s\S]*s9[\s\S]*and 8 more steps/);
    live.end();
  });

  it('says that the engine has gone', () => {
    const { live } = progress({ columns: 200 });
    live.onRun(run([]));
    live.onGap(true);
    expect(live.lines()[0]).toContain('the engine has gone: waiting for it');
    live.onGap(false);
    expect(live.lines()[0]).not.toContain('gone');
    live.end();
  });
});
