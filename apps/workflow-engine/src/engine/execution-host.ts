import type { Decision } from './decisions.js';
import type { Execution } from './execution.js';
import type { RunFacts } from './run-facts.js';
import type { Scopes } from './scopes.js';

/** What the rules of executions need of the run that they belong to. */
export interface ExecutionHost {
  readonly facts: RunFacts;
  readonly scopes: Scopes;
  /** Whether nothing may be started. */
  isHeld(): boolean;
  now(): number;
  decide(decision: Decision): void;
  /** Told when an execution is over. */
  ended(execution: Execution): void;
}
