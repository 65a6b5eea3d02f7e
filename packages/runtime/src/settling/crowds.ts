import { type Pointer, pointerKey } from '@cosi-ts/resource';

/** The writes to one resource that were under way together, and whether there was ever more than one. */
export interface Crowd {
  readonly key: string;
  writes: number;
  isCrowded: boolean;
}

/** Tells which of one's own writes were alone with their resource for as long as they were under way. */
export class Crowds {
  readonly #crowds = new Map<string, Crowd>();

  /** To be given back with {@link leave}. */
  enter(pointer: Pointer): Crowd {
    const key = pointerKey(pointer);
    const present = this.#crowds.get(key);
    if (present !== undefined) {
      present.writes++;
      present.isCrowded = true;
      return present;
    }
    const crowd = { key, writes: 1, isCrowded: false };
    this.#crowds.set(key, crowd);
    return crowd;
  }

  leave(crowd: Crowd): void {
    if (--crowd.writes === 0) this.#crowds.delete(crowd.key);
  }
}
