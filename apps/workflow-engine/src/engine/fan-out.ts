import type { JsonValue } from '@cosi-ts/resource';

export interface FanOutLimits {
  /** How many at once; undefined: any number. */
  readonly parallel: number | undefined;
  /** With more failures than that, no other is begun. */
  readonly maxFailures: number;
}

/**
 * Which items of a list are executed next. Every question is answered from counts: nothing here looks at all of the
 * items, however many there are.
 */
export class FanOut {
  readonly items: readonly JsonValue[];
  readonly #limits: FanOutLimits;
  readonly #isKnown: (index: number) => boolean;
  #next = 0;
  #open = 0;
  #stopped = false;
  /** Whether those were looked for that are not to be begun after all. */
  isTrimmed = false;
  succeeded = 0;
  failed = 0;
  cancelled = 0;

  /** @param isKnown whether an item was begun or is over already, which was counted */
  constructor(items: readonly JsonValue[], limits: FanOutLimits, isKnown: (index: number) => boolean) {
    this.items = items;
    this.#limits = limits;
    this.#isKnown = isKnown;
  }

  get open(): number {
    return this.#open;
  }

  /** Whether items that were not begun will not be. */
  get isStopped(): boolean {
    return this.#stopped || this.failed > this.#limits.maxFailures;
  }

  /** The next item to begin, in the order of the list, which counts as open from now on; undefined: none for now. */
  next(): number | undefined {
    if (this.isStopped || this.#open >= (this.#limits.parallel ?? Number.POSITIVE_INFINITY)) return undefined;
    while (this.#next < this.items.length && this.#isKnown(this.#next)) this.#next++;
    if (this.#next >= this.items.length) return undefined;
    this.#open++;
    return this.#next++;
  }

  /** Counts an item that was begun before. */
  found(): void {
    this.#open++;
  }

  /** Counts the end of an item that was open. */
  ended(outcome: 'succeeded' | 'failed' | 'cancelled'): void {
    this.#open--;
    this[outcome]++;
  }

  /** An item that was open was never begun, and will not be. */
  dropped(): void {
    this.#open--;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** What the items come to; undefined while some are open or still to begin. */
  get outcome(): 'succeeded' | 'failed' | 'cancelled' | undefined {
    if (this.#open > 0) return undefined;
    const over = this.succeeded + this.failed + this.cancelled;
    if (over < this.items.length && !this.isStopped) return undefined;
    if (this.failed > this.#limits.maxFailures) return 'failed';
    return this.#stopped || this.cancelled > 0 ? 'cancelled' : 'succeeded';
  }
}
