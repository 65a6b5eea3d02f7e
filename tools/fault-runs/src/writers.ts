import { setTimeout as delay } from 'node:timers/promises';
import type { Seeded } from '@cosi-ts/harness';
import { isCosiError } from '@cosi-ts/resource';
import type { State } from '@cosi-ts/state';
import { Stone, Thing, watchedId } from './things.js';

/** How many things there are at most, the watched one apart. */
const things = 40;
export const stones = 1500;

/** How long a writer rests after a write, and after one that failed. */
const restMs = 4;
const afterFailureMs = 50;

/** What a writer may meet while its server comes and goes, and while others write. */
const passing: ReadonlySet<string> = new Set([
  'unavailable',
  'not-found',
  'already-exists',
  'version-conflict',
  'conflict',
  'phase-conflict',
  'pending-finalizers',
  'unknown',
]);

/** Writes to the things at random, until it is told to stop. */
export class Writer {
  readonly #state: State;
  readonly #random: Seeded;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  /** How many writes were acknowledged. */
  writes = 0;

  constructor(state: State, random: Seeded) {
    this.#state = state;
    this.#random = random;
  }

  start(): void {
    this.#running = this.#run();
    // Is thrown by `stop`.
    this.#running.catch(() => {});
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await this.#write();
        this.writes++;
        await delay(restMs);
      } catch (error) {
        if (!isCosiError(error) || !passing.has(error.code)) throw error;
        await delay(afterFailureMs);
      }
    }
  }

  async #write(): Promise<void> {
    const random = this.#random;
    const n = random.below(1_000_000);
    if (random.float() < 0.1) {
      await this.#state.modify(Stone.at(`stone-${random.below(stones)}`), (draft) => {
        draft.spec = { n, text: filler };
      });
      return;
    }
    const id = random.float() < 0.1 ? watchedId : `thing-${1 + random.below(things)}`;
    // What the controller works on has its finalizer, and goes when that is gone.
    if (random.float() < 0.2) {
      if (await this.#state.teardown(Thing.at(id))) await this.#state.destroy(Thing.at(id));
      return;
    }
    await this.#state.modify(Thing.at(id), (draft) => {
      draft.spec.n = n;
      draft.metadata.labels.parity = n % 2 === 0 ? 'even' : 'odd';
    });
  }
}

export const filler = 'x'.repeat(600);
