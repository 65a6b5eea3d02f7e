import type { StepSummaryView } from '../http/run-view.js';

const overStates: ReadonlySet<string> = new Set(['succeeded', 'failed', 'skipped', 'cancelled']);

/** Whether nothing more happens to a run or a step in that state. */
export const isOver = (state: string): boolean => overStates.has(state);

export interface Progress {
  /** From 0 to 1; each step counts as much as another. */
  readonly part: number;
  readonly stepsOver: number;
  readonly steps: number;
  readonly failed: number;
}

/** How far a run is. Steps with items count by the part of their items that is over. */
export function progressOf(steps: readonly StepSummaryView[]): Progress {
  let [part, stepsOver, failed] = [0, 0, 0];
  for (const step of steps) {
    part += isOver(step.state) ? 1 : partOf(step);
    if (isOver(step.state)) stepsOver++;
    if (step.state === 'failed') failed++;
  }
  return { part: steps.length === 0 ? 0 : part / steps.length, stepsOver, steps: steps.length, failed };
}

export const endedOf = ({ succeeded, failed, dropped }: StepSummaryView): number => succeeded + failed + dropped;

function partOf(step: StepSummaryView): number {
  return step.total === 0 ? 0 : Math.min(1, endedOf(step) / step.total);
}
