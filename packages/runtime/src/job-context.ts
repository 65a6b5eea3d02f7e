import type { Clock } from '@cosi-ts/state';
import type { ControllerState } from './controller-state.js';
import type { Logger } from './logger.js';

/** What every function of a controller is given. */
export interface JobContext {
  /** The state as this controller may use it: reads inputs and outputs, writes outputs, in its own name. */
  readonly state: ControllerState;
  /** Aborts when the work is to stop: its calls of `state` are rejected from then on. Pass it on to whatever takes one. */
  readonly signal: AbortSignal;
  /** Names the controller and the resource in every record. */
  readonly logger: Logger;
  /** The runtime's clock: who sleeps by it is quick in tests. */
  readonly clock: Clock;
  /**
   * Of a controller that needs to lead: higher than that of every leader before. What is told it can refuse those that
   * lead no more. Undefined where there is no election.
   */
  readonly fencingToken: number | undefined;
}
