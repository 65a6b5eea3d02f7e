import { type Pointer, pointerKey } from '@cosi-ts/resource';

/** The inputs of a cleanup that are to go, and what each of them waits for. */
export class LeavingInputs {
  /** By id: the keys of what it waits for, or undefined while a change of anything can concern it. */
  readonly #waits = new Map<string, ReadonlySet<string> | undefined>();

  /** From now on any change concerns it: what is being looked at may change before the look is over. */
  look(id: string): void {
    this.#waits.set(id, undefined);
  }

  /** Only changes of these concern it. */
  waitFor(id: string, pointers: readonly Pointer[]): void {
    this.#waits.set(id, new Set(pointers.map(keyOf)));
  }

  forget(id: string): void {
    this.#waits.delete(id);
  }

  /** Ids of the inputs that a change concerns. */
  concernedBy(changed: Pointer): string[] {
    const key = keyOf(changed);
    const ids: string[] = [];
    for (const [id, waits] of this.#waits) if (waits === undefined || waits.has(key)) ids.push(id);
    return ids;
  }
}

function keyOf({ namespace, type, id }: Pointer): string {
  return pointerKey({ namespace, type, id });
}
