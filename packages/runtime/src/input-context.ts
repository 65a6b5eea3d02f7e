import { type Pointer, pointerText } from '@cosi-ts/resource';
import type { Clock } from '@cosi-ts/state';
import type { ControllerState } from './controller-state.js';
import type { JobContext } from './job-context.js';
import type { Logger } from './logger.js';

/** The context of a controller's work on one of many resources: its logger names the resource. */
export class InputContext implements JobContext {
  readonly state: ControllerState;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly fencingToken: number | undefined;
  readonly #all: JobContext;
  readonly #resource: Pointer;
  #logger: Logger | undefined;

  constructor(all: JobContext, resource: Pointer) {
    this.state = all.state;
    this.signal = all.signal;
    this.clock = all.clock;
    this.fencingToken = all.fencingToken;
    this.#all = all;
    this.#resource = resource;
  }

  get logger(): Logger {
    this.#logger ??= this.#all.logger.child({ resource: pointerText(this.#resource) });
    return this.#logger;
  }
}
