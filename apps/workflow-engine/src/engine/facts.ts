import type { ErrorReason, ResultState } from '../resources/states.js';

/** Why an attempt, or a step, did not succeed. */
export interface Failure {
  readonly reason: ErrorReason;
  readonly message: string;
  /** Of a process that ended by itself. */
  readonly exitCode?: number | undefined;
}

/** Which execution is meant: of a step without items or rounds -1. */
export interface Place {
  readonly step: string;
  readonly index: number;
}

/** What a StepRun says, as far as decisions depend on it. Times are in milliseconds since the epoch. */
export interface AttemptFact extends Place {
  readonly attempt: number;
  readonly uncounted: number;
  readonly deadlineMs: number | undefined;
  readonly begunMs: number;
  /** Whether it was asked to end. */
  readonly stopping: boolean;
}

/** What a StepResult says, as far as decisions depend on it. */
export interface ResultFact extends Place {
  readonly attempt: number;
  readonly state: ResultState;
  readonly retries: number;
  readonly uncounted?: number;
  /** A JSON object, or empty. */
  readonly outputs?: string;
  readonly failure?: Failure | undefined;
  readonly startedMs?: number | undefined;
  readonly endedMs?: number | undefined;
  readonly nextAttemptMs?: number | undefined;
  readonly waitingFor?: string;
  readonly waitingUntilMs?: number | undefined;
  /** Of what the engine does itself. */
  readonly deadlineMs?: number | undefined;
  /** JSON, of a step with items as a whole. */
  readonly items?: string;
  /** The name of the signal that is waited for, or was taken. */
  readonly signal?: string;
  /** When the signal was made that was taken last, as text. */
  readonly signalAt?: string;
}

export interface SignalFact {
  readonly name: string;
  /** When it was made: what tells it from an earlier one of its name. */
  readonly at: string;
  /** JSON; empty counts as null. */
  readonly payload: string;
}

/** How a nested run ended. */
export interface ChildFact extends Place {
  readonly state: 'succeeded' | 'failed' | 'cancelled';
  /** The `retries` that it has taken up. */
  readonly retries: number;
  readonly message: string;
  /** A JSON object, or empty. */
  readonly outputs: string;
  /** Why it was not even made: another attempt may help, or none can. */
  readonly unmade?: 'error' | 'rejected' | undefined;
}
