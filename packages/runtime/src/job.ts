import type { Metadata } from '@cosi-ts/resource';
import type { Clock, OwnedState } from '@cosi-ts/state';
import type { AccessScope } from './access-scope.js';
import type { ReadCache } from './cache/read-cache.js';
import type { ControllerState } from './controller-state.js';
import type { Term } from './election/term.js';
import type { InputChange } from './known-resources.js';
import type { Logger } from './logger.js';
import type { ReconcileContext } from './queue-controller.js';
import { scopedState } from './scoped-state.js';

/** What all work of a controller shares. */
export interface JobSite {
  readonly scope: AccessScope;
  readonly state: OwnedState;
  readonly cache: ReadCache;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly term: Term | undefined;
  /** Of jobs that have ended: to make one takes as long as a tenth of a short job. */
  readonly aborters: AbortController[];
}

/** One call of a controller's function, as that function sees it. What is not asked for is not made. */
export class Job implements ReconcileContext {
  readonly attempt: number;
  readonly #site: JobSite;
  readonly #facts: (() => Record<string, unknown>) | undefined;
  #aborter: AbortController | undefined;
  /** Someone else than the state has the signal, and may keep it. */
  #isShown = false;
  #seen: Metadata | undefined;
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
    this.#state ??= scopedState(this.#site.scope, this.#site.state, this, this.#site.cache);
    return this.#state;
  }

  get signal(): AbortSignal {
    this.#isShown = true;
    return this.callSignal;
  }

  /** The same, for calls of the state only. What goes on after the job's end may end with a later one. */
  get callSignal(): AbortSignal {
    if (this.#aborter === undefined) {
      this.#aborter = this.#site.aborters.pop() ?? new AbortController();
      if (this.#aborted !== undefined) this.#aborter.abort(this.#aborted.reason);
    }
    return this.#aborter.signal;
  }

  get logger(): Logger {
    this.#logger ??= this.#facts === undefined ? this.#site.logger : this.#site.logger.child(this.#facts());
    return this.#logger;
  }

  get clock(): Clock {
    return this.#site.clock;
  }

  get fencingToken(): number | undefined {
    return this.#site.term?.fencingToken;
  }

  /** True when the error is what the signal aborted with: the work did as it was told. */
  endedBy(error: unknown): boolean {
    return this.#aborted !== undefined && error === this.#aborted.reason;
  }

  abort(reason: unknown): void {
    this.#aborted ??= { reason };
    this.#aborter?.abort(reason);
  }

  /** Notes that the work goes by this version of its resource: the change that brought it is no reason for more work. */
  see(resource: Metadata): void {
    this.#seen = resource;
  }

  hasSeen({ metadata, gone }: InputChange): boolean {
    const seen = this.#seen;
    if (seen === undefined || gone) return false;
    return seen.version === metadata.version && seen.created.equals(metadata.created);
  }

  /** The work has ended: another job can have what nobody else has. */
  end(): void {
    if (this.#aborter === undefined || this.#isShown || this.#aborted !== undefined) return;
    this.#site.aborters.push(this.#aborter);
    this.#aborter = undefined;
  }
}

/** See {@link Job.see}: for controllers of this package. */
export function see(context: ReconcileContext, resource: Metadata): void {
  if (context instanceof Job) context.see(resource);
}
