import { type Pointer, pointerKey } from '@cosi-ts/resource';

/** The writes that are in progress, until they have been answered. */
export class PendingWrites {
  readonly #byPointer = new Map<string, Set<Promise<void>>>();

  /** @param answered resolves when the write has been answered; never rejects */
  add(pointer: Pointer, answered: Promise<void>): void {
    const key = pointerKey(pointer);
    let pending = this.#byPointer.get(key);
    if (pending === undefined) {
      pending = new Set();
      this.#byPointer.set(key, pending);
    }
    pending.add(answered);
    void answered.then(() => {
      pending.delete(answered);
      if (pending.size === 0 && this.#byPointer.get(key) === pending) this.#byPointer.delete(key);
    });
  }

  /** Resolves when all writes to the resource that are in progress now have been answered. */
  async settled(pointer: Pointer): Promise<void> {
    await Promise.all(this.#byPointer.get(pointerKey(pointer)) ?? []);
  }
}
