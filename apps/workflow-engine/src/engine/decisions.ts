import type { Place, ResultFact } from './facts.js';

/** What is to be done for a run now. The model that decided it goes on as if it were done. */
export type Decision = Admit | Release | Begin | Record | Postpone | Stop | BeginChild | StopChild;

/** An execution wants to begin an attempt, and is to be granted it when there is room. */
export interface Admit extends Place {
  readonly kind: 'admit';
  /** The executor whose room is needed; undefined: a worker elsewhere has its own. */
  readonly pool: string | undefined;
  readonly key: { readonly name: string; readonly limit: number } | undefined;
  readonly priority: number;
}

/** The execution needs the room no more that it has, or asked for. */
export interface Release extends Place {
  readonly kind: 'release';
}

/** Record a new attempt; whoever it is for begins it then. */
export interface Begin extends Place {
  readonly kind: 'begin';
  readonly attempt: number;
  readonly uncounted: number;
  readonly retries: number;
  /** JSON; empty where there is none. */
  readonly item: string;
  readonly executor: string;
  /** JSON. */
  readonly action: string;
  /** 0: as long as it likes. */
  readonly timeoutMs: number;
  readonly deadlineMs: number | undefined;
  readonly priority: number;
  readonly runsOn: ReadonlyMap<string, string>;
}

/** Write down how an execution, or a step as a whole, stands. */
export interface Record {
  readonly kind: 'record';
  readonly result: ResultFact;
}

/** Write down when the next attempt is due. */
export interface Postpone extends Place {
  readonly kind: 'postpone';
  readonly attempt: number;
  readonly nextAttemptMs: number;
}

/** Ask an attempt to end: tear down the StepRun. */
export interface Stop extends Place {
  readonly kind: 'stop';
}

/** Make a nested run, or have the one that is there tried again: `retries` times in all. */
export interface BeginChild extends Place {
  readonly kind: 'begin-child';
  readonly workflow: string;
  /** A JSON object. */
  readonly inputs: string;
  readonly retries: number;
  readonly priority: number;
}

/** Cancel a nested run. */
export interface StopChild extends Place {
  readonly kind: 'stop-child';
}
