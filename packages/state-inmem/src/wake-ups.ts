/** A watcher that has seen everything and waits for more. */
export interface Sleeper {
  /**
   * Takes what is new. True when there was something for it, and it is not to be woken again until it waits anew.
   * It must not run code of others: promises that it resolves are enough.
   */
  wake(): boolean;
}

/** How many turns of the microtask queue must pass without a write before watchers are woken, and how many at most. */
const quietTurns = 8;
const maxTurns = 256;

/**
 * Wakes those that wait for changes of a kind: not at each write, but once for all that is written in a burst, whether
 * in one go or by a writer that awaits each write. Writers never visit watchers, so that their number does not slow
 * them; and since only turns of the microtask queue are waited for, nothing is delayed that could run otherwise.
 */
export class WakeUps {
  readonly #afterwards: () => void;
  readonly #sleepers = new Set<Sleeper>();
  readonly #rung = new Set<Bell>();
  #scheduled = false;
  #turns = 0;
  #quiet = 0;

  /** @param afterwards is called when all have been woken */
  constructor(afterwards: () => void) {
    this.#afterwards = afterwards;
  }

  /** True when someone is about to be woken. */
  get pending(): boolean {
    return this.#scheduled;
  }

  /** How many wait for changes of the kind. */
  get size(): number {
    return this.#sleepers.size;
  }

  add(sleeper: Sleeper): void {
    this.#sleepers.add(sleeper);
  }

  delete(sleeper: Sleeper): void {
    this.#sleepers.delete(sleeper);
  }

  /** Tells that something has happened, about whatever the bell (if there is one) stands for. */
  ring(bell: Bell | undefined): void {
    if (bell !== undefined && bell.size > 0) this.#rung.add(bell);
    if (this.#scheduled) {
      this.#quiet = 0;
    } else if (this.#sleepers.size > 0 || this.#rung.size > 0) {
      this.#scheduled = true;
      this.#turns = 0;
      this.#quiet = 0;
      queueMicrotask(this.#turn);
    }
  }

  readonly #turn = (): void => {
    this.#turns++;
    this.#quiet++;
    if (this.#quiet <= quietTurns && this.#turns < maxTurns) queueMicrotask(this.#turn);
    else this.#wake();
  };

  #wake(): void {
    this.#scheduled = false;
    wakeAll(this.#sleepers);
    for (const bell of this.#rung) wakeAll(bell);
    this.#rung.clear();
    this.#afterwards();
  }
}

/** Those that wait for changes of one resource. */
export type Bell = Set<Sleeper>;

function wakeAll(sleepers: Set<Sleeper>): void {
  for (const sleeper of sleepers) if (sleeper.wake()) sleepers.delete(sleeper);
}
