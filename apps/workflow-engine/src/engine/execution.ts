import type { Failure } from './facts.js';
import type { StepModel } from './step-model.js';

/**
 * Where an execution stands:
 *
 * - `ready`: its next attempt can begin
 * - `requested`, `granted`: it waits for room, it has room
 * - `active`: an executor has its attempt
 * - `waiting`: the engine does it: it sleeps, waits for a signal, or for a nested run
 * - `backoff`: until its next attempt, or its round, is due
 * - `failed`: its attempt failed, and it is not decided yet whether there will be another
 */
export type ExecutionPhase = 'ready' | 'requested' | 'granted' | 'active' | 'waiting' | 'backoff' | 'failed' | 'over';

export type ExecutionOutcome = 'succeeded' | 'failed' | 'cancelled';

/** One execution of a step of one run. */
export class Execution {
  readonly step: StepModel;
  readonly index: number;
  phase: ExecutionPhase = 'ready';
  /** The newest; 0 before the first. */
  attempt: number;
  /** How many of the attempts before the newest do not count. */
  uncounted: number;
  /** When it goes on, of one that waits or backs off. */
  dueMs: number | undefined;
  /** When it fails at the latest. */
  deadlineMs: number | undefined;
  /** When the newest attempt began. */
  startedMs: number | undefined;
  endedMs: number | undefined;
  /** Why it was asked to end. */
  ending: Failure | undefined;
  failure: Failure | undefined;
  /** When the next attempt is due, as it is written down. */
  recordedNextMs: number | undefined;
  /** Whether its nested run is there for certain: it may have been written down that it begins, and no more. */
  hasChild = false;
  /** The name of the signal that it waits for. */
  signal: string | undefined;
  outcome: ExecutionOutcome | undefined;
  /** A JSON object, or empty. */
  outputs = '';

  /** Whether its newest attempt goes on, or has ended and nothing was decided of another one. */
  get hasAttempt(): boolean {
    return ['active', 'waiting', 'failed', 'over'].includes(this.phase);
  }

  /** @param attempts how many there were before, which count no more */
  constructor(step: StepModel, index: number, attempts: number) {
    this.step = step;
    this.index = index;
    this.attempt = attempts;
    this.uncounted = attempts;
  }
}
