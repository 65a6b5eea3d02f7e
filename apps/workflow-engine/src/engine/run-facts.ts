import type { Definition } from '../definition/definition.js';
import type { JsonObject } from '../json.js';
import type { AttemptFact, ResultFact, SignalFact } from './facts.js';

/** All that is stored of a run, in any order. */
export interface RunFacts {
  readonly id: string;
  readonly workflow: string;
  readonly definition: Definition;
  /** With their defaults. */
  readonly inputs: JsonObject;
  /** When it was made. */
  readonly createdMs: number;
  /** Who or what made it. */
  readonly trigger: string;
  /** When it began, or began again. */
  readonly begunMs: number;
  /** The retries that it has taken up. */
  readonly retries: number;
  /** Of the run, that of the definition included. */
  readonly priority: number;
  readonly paused: boolean;
  readonly cancelling: boolean;
  readonly attempts: Iterable<AttemptFact>;
  readonly results: Iterable<ResultFact>;
  readonly signals: Iterable<SignalFact>;
}
