/** A watcher that has seen everything and waits for more. */
export interface Sleeper {
  /**
   * Takes what is new. True when there was something for it, and it is not to be woken again until it waits anew.
   * It must not run code of others: promises that it resolves are enough.
   */
  wake(): boolean;
}

/** How many turns of the microtask queue must pass without a change before watchers are woken. */
const quietTurns = 8;
/** After so many turns, or so many changes, they are woken in any case at the next turn. */
const maxTurns = 256;
const maxChanges = 4096;

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
  #changes = 0;

  /** @param afterwards is called when all have been woken */
  constructor(afterwards: () => void) {
    this.#afterwards = afterwards;
  }

  /**
   * True when those that wait, for changes of the kind or at that bell, are about to be woken. Who comes for what is new
   * meanwhile had better wait too: it would get one change after the other.
   */
  pending(bell?: Bell): boolean {
    return bell === undefined ? this.#scheduled : this.#rung.has(bell);
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

  /** Tells that something has happened, also about what the bell stands for, if one is given. */
  ring(bell: Bell | undefined): void {
    if (bell !== undefined) this.#rung.add(bell);
    this.#quiet = 0;
    this.#changes++;
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#turns = 0;
    queueMicrotask(this.#turn);
  }

  readonly #turn = (): void => {
    this.#turns++;
    this.#quiet++;
    const more = this.#quiet <= quietTurns && this.#turns < maxTurns && this.#changes < maxChanges;
    if (more) queueMicrotask(this.#turn);
    else this.#wake();
  };

  #wake(): void {
    this.#scheduled = false;
    this.#changes = 0;
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
