import type { CoreState } from '@cosi-ts/state';

/**
 * Decides which of several runtimes does a piece of work. What must hold of every implementation: there are never two
 * leases of one name at a time that have not been lost, each as seen by the clock of its own holder.
 */
export interface LeaderElection {
  /**
   * Waits until this process holds the lease of that name. Each call is a candidate of its own, also beside another one
   * of the same process. What goes wrong meanwhile is logged and tried again: it rejects only with the signal's reason,
   * and holds nothing then.
   */
  campaign(name: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<Lease>;
}

/** The right to do a piece of work, for as long as it is not lost. It is kept up by itself until it is released. */
export interface Lease {
  readonly name: string;
  /** Who holds it, for people: no two leases have the same. */
  readonly holder: string;
  /** Higher than that of every lease of the name before. Whoever acts on the outside can be told it, to refuse a lower one. */
  readonly fencingToken: number;
  /** Aborts when the lease is lost or released: before another one can hold it. */
  readonly signal: AbortSignal;
  /**
   * Throws `runtime/lease-lost` when the lease is lost or released. It looks at the clock, and so is right also when the
   * process was held up and no timer has fired yet: to be called right before each effect.
   */
  check(): void;
  /**
   * Gives the lease up, so that another one can have it at once: to be called when the work has ended, and not while it
   * goes on. Does not reject: what cannot be given up runs out. Can be called any number of times.
   */
  release(): Promise<void>;
  /**
   * Keeps it up no longer, and does not give it up either: for work that does not end although it was told to. The
   * signal aborts at once; others can have the lease when it has run out.
   */
  lapse(): void;
  /** The state with its writes refused by the backend itself once the lease is another's, where there is such a thing. */
  fence?(core: CoreState): CoreState;
}
