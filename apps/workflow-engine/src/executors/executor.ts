import type { JsonValue } from '@cosi-ts/resource';
import type { JsonObject } from '../json.js';
import type { ErrorReason } from '../resources/states.js';

/** One attempt at one execution of a step. */
export interface Attempt {
  /** That of the StepRun. */
  readonly id: string;
  readonly run: string;
  readonly step: string;
  /** -1 of a step with neither items nor rounds. */
  readonly index: number;
  readonly attempt: number;
  /** The same for all attempts of the execution, and for no other. */
  readonly idempotencyKey: string;
  /** What to do: the action of the step with its expressions evaluated, in a form that the executor has documented. */
  readonly action: JsonValue;
}

/** How an attempt ended. */
export type Outcome =
  | { readonly state: 'succeeded'; readonly outputs: JsonObject }
  | { readonly state: 'failed'; readonly reason: ErrorReason; readonly message: string; readonly exitCode?: number };

/** What can be told of an attempt before it has ended. */
export interface Progress {
  /** The group of the process. */
  readonly pid?: number;
  /** Relative to the folder of logs. */
  readonly log?: string;
}

export interface ExecutionContext {
  /**
   * Aborts when the attempt is to end: its reason is a {@link StopReason}. The executor asks what it runs to end, ends
   * it by force after `graceMs`, and only then settles. Nothing of the attempt goes on after it has settled.
   */
  readonly signal: AbortSignal;
  readonly graceMs: number;
  /** Tells what is known so far. What it says is kept when the attempt has ended. */
  report(progress: Progress): void;
  /** The text of a secret. Rejects when there is none. What is read is masked in logs. */
  secret(name: string, key: string): Promise<string>;
}

/** Why an attempt is to end before it is done. */
export class StopReason extends Error {
  override readonly name = 'StopReason';
  readonly reason: 'cancelled' | 'timeout' | 'lost';

  constructor(reason: 'cancelled' | 'timeout' | 'lost', message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Executes steps of one kind. */
export interface Executor {
  /** The key under which a step of a definition says what to do: `run`, `http`, `function`. */
  readonly name: string;

  /**
   * Executes an attempt, and tells how it ended. It is called once for an attempt by one process. Rejecting counts as
   * the outcome `failed` with the reason `error`.
   */
  execute(attempt: Attempt, context: ExecutionContext): Promise<Outcome>;

  /**
   * What became of an attempt that another process of this executor, which is no more, may have begun:
   *
   * - `unknown`: it was never begun, or nothing of it can be left. It is lost.
   * - `running`: it is still going on. `adopt` goes on with it.
   * - an outcome: it has ended meanwhile, and that was how.
   *
   * Without this method every such attempt is lost.
   */
  recover?(attempt: Attempt): Promise<Recovery>;

  /** Removes what is kept of the attempts of a run that is no more: logs, folders. Default: nothing is kept. */
  forget?(run: string): Promise<void>;

  /**
   * Lets go of what `recover` will find again: it goes on, and its `execute` or `adopt` rejects with `closed`, which is
   * no outcome. Waits for everything else.
   */
  close?(): Promise<void>;

  /** Ends by force what goes on without this process, which ends right after, and which no other will come after. */
  endNow?(): void;
}

export type Recovery =
  | { readonly found: 'unknown' }
  | { readonly found: 'ended'; readonly outcome: Outcome; readonly progress: Progress; readonly endedAt: Date }
  | { readonly found: 'running'; readonly adopt: (context: ExecutionContext) => Promise<Outcome> };
