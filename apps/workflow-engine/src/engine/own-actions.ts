import type { JsonValue } from '@cosi-ts/resource';
import type { Action, WaitAction } from '../definition/definition.js';
import { durationText } from '../definition/duration.js';
import type { JsonObject } from '../json.js';
import { executionId } from '../resources/labels.js';
import { type ExecutorAction, evaluated } from './action.js';
import { placeOf } from './attempt-decisions.js';
import { messageOf, rejection } from './condition.js';
import type { Decision } from './decisions.js';
import type { Execution } from './execution.js';
import type { Failure, ResultFact, SignalFact } from './facts.js';
import type { RunFacts } from './run-facts.js';
import type { Scopes } from './scopes.js';
import { SignalBox } from './signal-box.js';
import { signalNameOf } from './signal-name.js';
import { afterNoSignal, afterSignal, type Done, sleepMs, wakeMs } from './waiting.js';

/** What the engine does itself. */
export type OwnAction = Exclude<Action, ExecutorAction>;

/** What own actions need of the executions that they belong to. */
export interface OwnActionsHost {
  readonly facts: RunFacts;
  readonly scopes: Scopes;
  now(): number;
  decide(decision: Decision): void;
  /** Told when an attempt begins. */
  started(execution: Execution): void;
  /** Has an execution looked at at that time. */
  wakeAt(ms: number, execution: Execution): void;
  record(execution: Execution, state: ResultFact['state'], rest: Partial<ResultFact>): void;
  /** Told when an attempt is over. */
  done(execution: Execution, done: Done, signalAt?: string): void;
  /** Asks an execution to end. */
  end(execution: Execution, failure: Failure): void;
}

/** Attempts that need no executor: outcomes, sleeps, signals and nested runs. */
export class OwnActions {
  readonly #host: OwnActionsHost;
  readonly #signals = new SignalBox();

  constructor(host: OwnActionsHost) {
    this.#host = host;
  }

  /** Takes up an execution that waits. */
  found(execution: Execution): void {
    this.#limit(execution);
    if (execution.dueMs !== undefined) this.#host.wakeAt(execution.dueMs, execution);
  }

  tookSignal({ signal = '', signalAt = '' }: ResultFact): void {
    if (signal !== '' && signalAt !== '') this.#signals.taken(signal, signalAt);
  }

  /** False when it is known already. */
  signal(fact: SignalFact): boolean {
    return this.#signals.put(fact);
  }

  /** Begins what the engine does itself. Throws what an expression throws. */
  begin(execution: Execution, action: OwnAction): void {
    const nowMs = this.#host.now();
    const scope = this.#host.scopes.ofExecution(execution);
    switch (action.kind) {
      case 'none': {
        const outputs = evaluated(action.outputs, scope);
        this.#host.started(execution);
        this.#host.done(execution, { state: 'succeeded', outputs });
        return;
      }
      case 'sleep': {
        const untilMs = nowMs + sleepMs(action.duration.evaluate(scope));
        this.#host.started(execution);
        this.#wait(execution, 'waiting', 'its time', untilMs);
        return;
      }
      case 'sleepUntil': {
        const untilMs = wakeMs(action.time.evaluate(scope));
        this.#host.started(execution);
        this.#wait(execution, 'waiting', 'its time', untilMs);
        return;
      }
      case 'wait': {
        const question = action.approval?.evaluate(scope);
        const signal = this.#signalOf(execution, action);
        this.#host.started(execution);
        execution.signal = signal;
        const words = question === undefined ? `the signal ${signal}` : asText(question);
        this.#wait(execution, 'waiting', words, undefined);
        return;
      }
      case 'workflow': {
        const inputs = evaluated(action.with, scope);
        this.#host.started(execution);
        this.#beginChild(execution, action.workflow, inputs);
        const { id } = this.#host.facts;
        this.#wait(execution, 'running', `the run ${executionId(id, execution.step.name, execution.index)}`, undefined);
        return;
      }
    }
  }

  #signalOf(execution: Execution, action: WaitAction): string {
    const { step, index } = execution;
    return signalNameOf(step.definition, action, index, this.#host.scopes.ofExecution(execution));
  }

  #beginChild(execution: Execution, workflow: string, given: JsonObject): void {
    execution.hasChild = true;
    const { attempt, step } = execution;
    const priority = step.definition.priority + this.#host.facts.priority;
    const [inputs, retries] = [JSON.stringify(given), attempt - 1];
    this.#host.decide({ kind: 'begin-child', ...placeOf(execution), workflow, inputs, retries, priority });
  }

  /** It was written down that a nested run begins, which may not have been made. False: it cannot be made. */
  #beginChildAgain(execution: Execution, action: Extract<OwnAction, { readonly kind: 'workflow' }>): boolean {
    try {
      const inputs = evaluated(action.with, this.#host.scopes.ofExecution(execution));
      this.#beginChild(execution, action.workflow, inputs);
      return true;
    } catch (error) {
      this.#host.done(execution, { state: 'failed', failure: rejection(messageOf(error)) });
      return false;
    }
  }

  #wait(execution: Execution, state: 'running' | 'waiting', waitingFor: string, dueMs: number | undefined): void {
    execution.phase = 'waiting';
    execution.step.waiting++;
    execution.dueMs = dueMs;
    this.#limit(execution);
    if (dueMs !== undefined) this.#host.wakeAt(dueMs, execution);
    if (this.check(execution)) return;
    const { action, timeoutMs } = execution.step.definition;
    const until = dueMs ?? (action.kind === 'wait' ? limitMs(execution, timeoutMs) : undefined);
    this.#host.record(execution, state, { waitingFor, waitingUntilMs: until });
  }

  /** Has an attempt of the engine's own looked at when its time is up. */
  #limit(execution: Execution): void {
    const limit = limitMs(execution, execution.step.definition.timeoutMs);
    if (limit !== undefined) this.#host.wakeAt(limit, execution);
  }

  /** Whether what an execution waits for is there. */
  check(execution: Execution): boolean {
    const nowMs = this.#host.now();
    const { action, timeoutMs } = execution.step.definition;
    const limit = limitMs(execution, timeoutMs);
    const isLate = limit !== undefined && nowMs >= limit;
    if (action.kind === 'wait') {
      execution.signal ??= this.#signalOf(execution, action);
      const signal = this.#signals.take(execution.signal);
      if (signal === undefined && !isLate) return false;
      const done = signal === undefined ? afterNoSignal(action, execution.signal) : afterSignal(action, signal);
      this.#host.done(execution, done, signal?.at);
      return true;
    }
    if (action.kind === 'workflow' && !execution.hasChild && !this.#beginChildAgain(execution, action)) return true;
    if (action.kind !== 'workflow' && execution.dueMs !== undefined && nowMs >= execution.dueMs) {
      this.#host.done(execution, { state: 'succeeded', outputs: {} });
      return true;
    }
    if (!isLate) return false;
    const failure: Failure = { reason: 'timeout', message: `took longer than ${durationText(timeoutMs ?? 0)}` };
    if (action.kind === 'workflow') this.#host.end(execution, failure);
    else this.#host.done(execution, { state: 'failed', failure });
    return true;
  }
}

function limitMs({ startedMs }: Execution, timeoutMs: number | undefined): number | undefined {
  return timeoutMs === undefined || startedMs === undefined ? undefined : startedMs + timeoutMs;
}

function asText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
