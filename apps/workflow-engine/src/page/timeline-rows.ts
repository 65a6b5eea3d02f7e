import type { StepView } from '../http/run-detail.js';

/** One line of the timeline: an execution, or a step with many of them as a whole. */
export interface TimelineRow {
  readonly step: string;
  /** -1 of a step that has one execution, and of steps as a whole. */
  readonly index: number;
}

/** The lines of the timeline of a run, without making all of them: a step can have ten thousand. */
export class TimelineRows {
  readonly count: number;
  readonly #starts: readonly { readonly step: string; readonly first: number; readonly count: number }[];

  constructor(steps: readonly Pick<StepView, 'step' | 'executions' | 'total'>[]) {
    let first = 0;
    this.#starts = steps.map(({ step, executions, total }) => {
      const count = executions === 'one' ? 1 : 1 + total;
      first += count;
      return { step, first: first - count, count };
    });
    this.count = first;
  }

  /** The lines from one place to before another. */
  slice(from: number, to: number): readonly TimelineRow[] {
    return this.#starts.flatMap(({ step, first, count }) => {
      const begin = Math.max(from, first);
      const end = Math.min(to, first + count);
      return Array.from({ length: Math.max(0, end - begin) }, (_, i) => ({ step, index: begin + i - first - 1 }));
    });
  }
}
