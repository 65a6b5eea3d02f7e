import { followAbort } from '@cosi-ts/resource';
import type { LeaderElection, Lease } from './leader-election.js';
import { LeaseLostError } from './lease-lost.js';

interface Waiter {
  grant(lease: ProcessLease): void;
}

interface Office {
  lease: ProcessLease | undefined;
  readonly waiting: Set<Waiter>;
  fencingToken: number;
}

/**
 * Elects leaders among the runtimes of one process that share this object, first come, first served: for tests of what
 * happens when leaders change.
 */
export class InProcessElection implements LeaderElection {
  readonly #offices = new Map<string, Office>();

  campaign(name: string, options: { readonly signal?: AbortSignal | undefined } = {}): Promise<Lease> {
    const { signal } = options;
    const office = this.#office(name);
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason);
      const waiter: Waiter = {
        grant: (lease) => {
          unfollow?.();
          resolve(lease);
        },
      };
      const unfollow =
        signal &&
        followAbort(signal, (reason) => {
          office.waiting.delete(waiter);
          reject(reason);
        });
      office.waiting.add(waiter);
      this.#fill(name, office);
    });
  }

  /** Has the present holder lose its lease, as one that cannot renew it does; the next one gets it. False when there is none. */
  revoke(name: string): boolean {
    const lease = this.#offices.get(name)?.lease;
    lease?.end('it was revoked');
    return lease !== undefined;
  }

  #office(name: string): Office {
    let office = this.#offices.get(name);
    if (office === undefined) {
      office = { lease: undefined, waiting: new Set(), fencingToken: 0 };
      this.#offices.set(name, office);
    }
    return office;
  }

  #fill(name: string, office: Office): void {
    if (office.lease !== undefined) return;
    for (const waiter of office.waiting) {
      office.waiting.delete(waiter);
      office.fencingToken++;
      const onEnd = () => {
        office.lease = undefined;
        this.#fill(name, office);
      };
      office.lease = new ProcessLease(name, office.fencingToken, onEnd);
      waiter.grant(office.lease);
      return;
    }
  }
}

class ProcessLease implements Lease {
  readonly name: string;
  readonly holder: string;
  readonly fencingToken: number;
  readonly #over = new AbortController();
  readonly #onEnd: () => void;

  constructor(name: string, fencingToken: number, onEnd: () => void) {
    this.name = name;
    this.holder = `holder ${fencingToken}`;
    this.fencingToken = fencingToken;
    this.#onEnd = onEnd;
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  check(): void {
    this.signal.throwIfAborted();
  }

  async release(): Promise<void> {
    this.end('it was released');
  }

  lapse(): void {
    this.end('it is not kept up any more');
  }

  end(why: string): void {
    if (this.signal.aborted) return;
    this.#over.abort(new LeaseLostError(this.name, why));
    this.#onEnd();
  }
}
