/** Lets work on one key run one after the other, and work on different keys at the same time. */
export class WriteTurns {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs the work when all that was given for the key before has settled; at once when there is none. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const result = before === undefined ? work() : before.then(work);
    const done = () => {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    };
    const settled = result.then(done, done);
    this.#last.set(key, settled);
    return result;
  }

  /** Resolves when no work is left. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values());
  }
}
