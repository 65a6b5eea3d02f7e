import { type CoreState, type State, wrapState } from '@cosi-ts/state';
import { Candidate } from './candidate.js';
import {
  type ResolvedStateElectionOptions,
  resolveStateElectionOptions,
  type StateElectionOptions,
} from './election-options.js';
import type { LeaderElection, Lease } from './leader-election.js';
import { LeaseType } from './lease-resource.js';

/**
 * Elects leaders through a resource of {@link LeaseType} for each name, in the state that the runtimes share. No clocks
 * of different hosts are compared: whoever waits for a lease to run out counts from when it saw the last change of it.
 * Clocks may run at different speeds, as long as the slowest holder's renewal deadline is over before the fastest
 * candidate's lease time.
 *
 * The state must not lose what it has acknowledged. A lease cannot be destroyed while its finalizer is on it; who removes
 * that by force, or a state that begins anew without it, can let two hold it for a moment.
 *
 * @example
 * const election = new StateElection(state, { identity: hostname });
 * const runtime = new Runtime(state, { leaderElection: election });
 */
export class StateElection implements LeaderElection {
  readonly #state: State;
  readonly #options: ResolvedStateElectionOptions;
  readonly #former = new Map<string, Set<string>>();

  /** Throws a `RangeError` for times that cannot be. */
  constructor(state: CoreState, options: StateElectionOptions = {}) {
    this.#state = wrapState(state);
    this.#options = resolveStateElectionOptions(options);
  }

  async campaign(name: string, options: { readonly signal?: AbortSignal | undefined } = {}): Promise<Lease> {
    if (typeof name !== 'string' || name === '') throw new TypeError('a lease needs a name');
    const { signal = new AbortController().signal } = options;
    signal.throwIfAborted();
    const { identity, namespace, random } = this.#options;
    const holder = `${identity}/${hex(random.bytes(8))}`;
    const pointer = LeaseType.at(name, namespace);
    return new Candidate(holder, pointer, this.#formerHolders(name), this.#state, this.#options).campaign(signal);
  }

  #formerHolders(name: string): Set<string> {
    let former = this.#former.get(name);
    if (former === undefined) {
      former = new Set();
      this.#former.set(name, former);
    }
    return former;
  }
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
