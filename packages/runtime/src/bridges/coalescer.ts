import { type Pointer, pointerKey } from '@cosi-ts/resource';
import type { Clock, Timer } from '@cosi-ts/state';

/** Gives each pointer on once, however often it comes within the time. Holds one timer at most. */
export class Coalescer {
  readonly #clock: Clock;
  readonly #windowMs: number;
  readonly #give: (pointer: Pointer | undefined) => void;
  readonly #onFailure: (error: unknown) => void;
  readonly #pending = new Map<string, Pointer | undefined>();
  #timer: Timer | undefined;

  /** @param onFailure told what `give` throws later than the call of `put` */
  constructor(
    clock: Clock,
    windowMs: number,
    give: (pointer: Pointer | undefined) => void,
    onFailure: (error: unknown) => void,
  ) {
    this.#clock = clock;
    this.#windowMs = windowMs;
    this.#give = give;
    this.#onFailure = onFailure;
  }

  /** Without a time to wait, what `give` throws comes out of it. */
  put(pointer: Pointer | undefined): void {
    if (this.#windowMs === 0) {
      this.#give(pointer);
      return;
    }
    this.#pending.set(pointer === undefined ? '' : pointerKey(pointer), pointer);
    this.#timer ??= this.#clock.schedule(this.#windowMs, () => this.flush());
  }

  /** Gives on at once what it holds. */
  flush(): void {
    const pointers = [...this.#pending.values()];
    this.close();
    for (const pointer of pointers) {
      try {
        this.#give(pointer);
      } catch (error) {
        this.#onFailure(error);
      }
    }
  }

  /** Forgets what it holds. */
  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#pending.clear();
  }
}
