/**
 * The nested runs that are not over, by the run that nobody else began. A workflow that calls itself twice would make
 * two to the power of its depth of them, and nothing else would go on meanwhile. Once there are too many, no other one is
 * made until all of them are over: with each that is refused others end, and would make room for as many again.
 */
export class NestedRuns {
  readonly #most: number;
  readonly #rootOf = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #exceeded = new Set<string>();

  /** @param most how many at once of one root */
  constructor(most: number) {
    this.#most = most;
  }

  /** Counts a run that is about to be made. False: there are too many, or were. */
  admit(id: string, root: string): boolean {
    if (!this.#rootOf.has(id)) {
      if ((this.#counts.get(root) ?? 0) >= this.#most) this.#exceeded.add(root);
      if (this.#exceeded.has(root)) return false;
    }
    this.found(id, root);
    return true;
  }

  /** Counts a run that is there, however many there are. */
  found(id: string, root: string): void {
    if (this.#rootOf.has(id)) return;
    this.#rootOf.set(id, root);
    this.#counts.set(root, (this.#counts.get(root) ?? 0) + 1);
  }

  /** A run is over, or was not made. */
  over(id: string): void {
    const root = this.#rootOf.get(id);
    if (root === undefined) return;
    this.#rootOf.delete(id);
    const left = (this.#counts.get(root) ?? 1) - 1;
    if (left === 0) {
      this.#counts.delete(root);
      this.#exceeded.delete(root);
    } else this.#counts.set(root, left);
  }

  get most(): number {
    return this.#most;
  }
}
