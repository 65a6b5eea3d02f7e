import type { CoreState } from '@cosi-ts/state';
import type { Lease } from './leader-election.js';
import { LeaseLostError } from './lease-lost.js';

/** The time in which a controller may work because it has a lease: at first it has none. */
export class Term {
  readonly #name: string;
  #lease: Lease | undefined;
  #fenced: { readonly core: CoreState; readonly by: CoreState } | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  get fencingToken(): number | undefined {
    return this.#lease?.fencingToken;
  }

  begin(lease: Lease): void {
    this.#lease = lease;
  }

  /** The state for a write that begins right now. Throws `runtime/lease-lost` when there may be none. */
  forWrite(core: CoreState): CoreState {
    if (this.#lease === undefined) throw new LeaseLostError(this.#name, 'it was never held');
    this.#lease.check();
    if (this.#lease.fence === undefined) return core;
    if (this.#fenced?.core !== core) this.#fenced = { core, by: this.#lease.fence(core) };
    return this.#fenced.by;
  }
}
