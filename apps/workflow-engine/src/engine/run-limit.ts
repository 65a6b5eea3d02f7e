import type { Definition } from '../definition/definition.js';
import { durationText } from '../definition/duration.js';
import type { Failure, ResultFact } from './facts.js';

/** How long the steps of a run may take together; those of `finally` are not bound by it. */
export class RunLimit {
  /** Undefined: as long as they like. */
  readonly deadlineMs: number | undefined;
  readonly #definition: Definition;

  constructor(definition: Definition, begunMs: number) {
    const { timeoutMs } = definition;
    this.deadlineMs = timeoutMs === undefined ? undefined : begunMs + timeoutMs;
    this.#definition = definition;
  }

  get failure(): Failure {
    return { reason: 'timeout', message: `the run took longer than ${durationText(this.#definition.timeoutMs ?? 0)}` };
  }

  /** Whether that ended when the run should have been over. */
  isTooLate({ step, endedMs }: ResultFact): boolean {
    const { deadlineMs } = this;
    if (deadlineMs === undefined || endedMs === undefined || endedMs < deadlineMs) return false;
    return this.#definition.steps.has(step);
  }
}
