import type { ExecutionView } from '../http/execution-view.js';
import type { StepSummaryView } from '../http/run-view.js';
import { tookText } from './times.js';

/** What is known of a step that a run is at. */
export interface StepProgress {
  readonly summary: StepSummaryView;
  /** Of a step with one execution. */
  readonly execution: ExecutionView | undefined;
}

const marks: Readonly<Record<string, string>> = {
  pending: '·',
  running: '▸',
  waiting: '◦',
  succeeded: '✓',
  failed: '✗',
  skipped: '-',
  cancelled: '✗',
};

export function markOf(state: string): string {
  return marks[state] ?? '·';
}

/** Whether its attempt is there, and nobody has taken it. */
export function waitsForWorker({ state, waitingFor }: ExecutionView): boolean {
  return state === 'pending' && waitingFor !== '';
}

/** How a step stands, in words: `running 3 s`, `running 120/10000, 2 failed`, `waiting: Release it?`. */
export function stepText({ summary, execution }: StepProgress, nowMs: number): string {
  const { state, total, succeeded, failed, dropped, running } = summary;
  if (total > 1 || execution === undefined) {
    if (total <= 1) return state;
    const over = succeeded + failed + dropped;
    const parts = [`${over}/${total}`];
    if (running > 0) parts.push(`${running} at once`);
    if (failed > 0) parts.push(`${failed} failed`);
    return `${state} ${parts.join(', ')}`;
  }
  if (waitsForWorker(execution)) return `pending: waits for ${execution.waitingFor}`;
  const took = tookText(execution.startedAt, execution.endedAt, nowMs);
  const parts = [state];
  if (took !== '' && state !== 'skipped') parts.push(took);
  if (execution.attempt > 1) parts.push(`attempt ${execution.attempt}`);
  const why =
    execution.waitingFor !== '' ? execution.waitingFor : state === 'failed' ? (execution.error?.message ?? '') : '';
  return `${parts.join(', ')}${why === '' ? '' : `: ${why}`}`;
}
