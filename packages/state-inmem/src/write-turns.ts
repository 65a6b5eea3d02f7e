/** Whom to let in next, the one that waits longest first. */
type Waiting = (() => void)[];

/** Lets work on one key be done one after the other, and work on different keys at the same time. */
export class WriteTurns {
  /** The keys that are being worked on. Mostly nobody waits. */
  readonly #taken = new Map<string, Waiting | undefined>();
  #idle: (() => void)[] = [];

  /**
   * Takes the turn of a key, to be given back with {@link leave}. Undefined when it has it at once; else a promise that
   * resolves when all that came before have given it back.
   */
  enter(key: string): Promise<void> | undefined {
    if (!this.#taken.has(key)) {
      this.#taken.set(key, undefined);
      return undefined;
    }
    return new Promise((resolve) => {
      const waiting = this.#taken.get(key);
      if (waiting === undefined) this.#taken.set(key, [resolve]);
      else waiting.push(resolve);
    });
  }

  leave(key: string): void {
    const next = this.#taken.get(key)?.shift();
    if (next !== undefined) {
      next();
      return;
    }
    this.#taken.delete(key);
    if (this.#taken.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Resolves when no turn is taken. */
  async idle(): Promise<void> {
    while (this.#taken.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }
}
