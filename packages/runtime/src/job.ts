import type { OwnedState } from '@cosi-ts/state';
import type { AccessScope } from './access-scope.js';
import type { ControllerState } from './controller-state.js';
import type { Logger } from './logger.js';
import type { ReconcileContext } from './queue-controller.js';
import { scopedState } from './scoped-state.js';

/** What all work of a controller shares. */
export interface JobSite {
  readonly scope: AccessScope;
  readonly state: OwnedState;
  readonly logger: Logger;
}

/** One call of a controller's function, as that function sees it. What is not asked for is not made. */
export class Job implements ReconcileContext {
  readonly attempt: number;
  readonly #site: JobSite;
  readonly #facts: (() => Record<string, unknown>) | undefined;
  #aborter: AbortController | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  #state: ControllerState | undefined;
  #logger: Logger | undefined;

  /** @param facts what the logger adds to every record */
  constructor(site: JobSite, attempt = 1, facts?: () => Record<string, unknown>) {
    this.#site = site;
    this.attempt = attempt;
    this.#facts = facts;
  }

  get state(): ControllerState {
    this.#state ??= scopedState(this.#site.scope, this.#site.state, this);
    return this.#state;
  }

  get signal(): AbortSignal {
    if (this.#aborter === undefined) {
      this.#aborter = new AbortController();
      if (this.#aborted !== undefined) this.#aborter.abort(this.#aborted.reason);
    }
    return this.#aborter.signal;
  }

  get logger(): Logger {
    this.#logger ??= this.#facts === undefined ? this.#site.logger : this.#site.logger.child(this.#facts());
    return this.#logger;
  }

  /** True when the error is what the signal aborted with: the work did as it was told. */
  endedBy(error: unknown): boolean {
    return this.#aborted !== undefined && error === this.#aborted.reason;
  }

  abort(reason: unknown): void {
    this.#aborted ??= { reason };
    this.#aborter?.abort(reason);
  }
}
