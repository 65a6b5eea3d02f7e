import type { StepDefinition } from '../definition/definition.js';

/** How many of the steps that a step needs are over, and how. What is in neither of the last two was skipped or cancelled. */
export interface NeedCounts {
  readonly total: number;
  readonly over: number;
  /** Succeeded, or failed with `continueOnError`. */
  readonly succeeded: number;
  readonly failed: number;
}

/** What the steps that a step needs come to; `neutral`: nothing failed, and nothing that was asked for succeeded. */
export type JoinOutcome = 'open' | 'succeeded' | 'failed' | 'neutral';

/** All of them, or so many. A join that can no longer be reached is told when all are over. */
export function joinOutcome(join: 'all' | number, { total, over, succeeded, failed }: NeedCounts): JoinOutcome {
  if (join !== 'all' && succeeded >= join) return 'succeeded';
  if (over < total) return 'open';
  if (failed > 0) return 'failed';
  if (join !== 'all') return 'neutral';
  return total === 0 || succeeded > 0 ? 'succeeded' : 'neutral';
}

/** Whether a step that waits for that outcome is executed rather than skipped. */
export function isExecutedOn(on: StepDefinition['on'], outcome: Exclude<JoinOutcome, 'open'>): boolean {
  switch (on) {
    case 'always':
      return true;
    case 'success':
      return outcome === 'succeeded';
    case 'failure':
      return outcome === 'failed';
  }
}
