import { evaluateAction, isForExecutor } from './action.js';
import type { Agenda } from './agenda.js';
import { beginOf, needOf } from './attempt-decisions.js';
import type { Execution } from './execution.js';
import type { ExecutionEnds } from './execution-ends.js';
import type { ExecutionHost } from './execution-host.js';
import type { OwnAction } from './own-actions.js';

/** How attempts begin: those of the engine itself at once, those of executors when there is room for them. */
export class ExecutionBeginnings {
  readonly #host: ExecutionHost;
  readonly #agenda: Agenda;
  readonly #ends: ExecutionEnds;
  readonly #beginOwn: (execution: Execution, action: OwnAction) => void;

  /** @param beginOwn begins what needs no executor, and throws what an expression throws */
  constructor(
    host: ExecutionHost,
    agenda: Agenda,
    ends: ExecutionEnds,
    beginOwn: (execution: Execution, action: OwnAction) => void,
  ) {
    this.#host = host;
    this.#agenda = agenda;
    this.#ends = ends;
    this.#beginOwn = beginOwn;
  }

  /** Begins an attempt, or asks for room for it. */
  begin(execution: Execution): void {
    execution.phase = 'ready';
    const { action } = execution.step.definition;
    try {
      if (!isForExecutor(action)) {
        this.#beginOwn(execution, action);
        return;
      }
      const admit = needOf(execution, this.#host);
      if (admit === undefined) {
        this.beginGranted(execution);
        return;
      }
      execution.phase = 'requested';
      this.#host.decide(admit);
    } catch (error) {
      this.#ends.reject(execution, error);
    }
  }

  /** Begins an attempt of an executor, for which there is room. */
  beginGranted(execution: Execution): void {
    const { step } = execution;
    const { definition } = step;
    const { action } = definition;
    if (!isForExecutor(action)) return;
    const { facts, scopes } = this.#host;
    let text: string;
    try {
      text = JSON.stringify(evaluateAction(action, definition, facts.definition, scopes.ofExecution(execution)));
    } catch (error) {
      this.#ends.release(execution);
      this.#ends.reject(execution, error);
      return;
    }
    this.started(execution);
    execution.phase = 'active';
    step.active++;
    this.#host.decide(beginOf(execution, action, text, facts));
  }

  /** Counts a new attempt, and sets the time limit of all of them with the first. */
  started(execution: Execution): void {
    const nowMs = this.#host.now();
    const { definition, isFinally } = execution.step;
    execution.attempt++;
    execution.startedMs = nowMs;
    execution.endedMs = undefined;
    execution.recordedNextMs = undefined;
    if (execution.deadlineMs !== undefined) return;
    const { begunMs, definition: workflow } = this.#host.facts;
    const ofStep = definition.deadlineMs === undefined ? undefined : nowMs + definition.deadlineMs;
    const ofRun = isFinally || workflow.timeoutMs === undefined ? undefined : begunMs + workflow.timeoutMs;
    if (ofStep === undefined && ofRun === undefined) return;
    execution.deadlineMs = Math.min(ofStep ?? Number.POSITIVE_INFINITY, ofRun ?? Number.POSITIVE_INFINITY);
    this.#agenda.wakeAt(execution.deadlineMs, execution);
  }
}
