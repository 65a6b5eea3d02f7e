import { type Kind, type Pointer, pointerKey, sameKind } from '@cosi-ts/resource';

/** Whom to let in next, the one that waits longest first. */
type Waiting = (() => void)[];

/** Mostly nobody waits. */
const nobody: Waiting = [];

/** The turns of a kind's resources that are taken, by id. */
class KindTurns {
  readonly kind: Kind;
  readonly taken = new Map<string, Waiting>();

  constructor({ namespace, type }: Kind) {
    this.kind = { namespace, type };
  }
}

/** Lets work on one resource be done one after the other, and work on different ones at the same time. */
export class WriteTurns {
  readonly #kinds = new Map<string, KindTurns>();
  #last: KindTurns | undefined;
  #size = 0;
  #idle: (() => void)[] = [];

  /**
   * Takes the turn of a resource, to be given back with {@link leave}. Undefined when it has it at once; else a promise
   * that resolves when all that came before have given it back.
   */
  enter(pointer: Pointer): Promise<void> | undefined {
    const { id } = pointer;
    const { taken } = this.#of(pointer);
    const waiting = taken.get(id);
    if (waiting === undefined) {
      taken.set(id, nobody);
      this.#size++;
      return undefined;
    }
    return new Promise((resolve) => {
      if (waiting === nobody) taken.set(id, [resolve]);
      else waiting.push(resolve);
    });
  }

  leave(pointer: Pointer): void {
    const { id } = pointer;
    const turns = this.#of(pointer);
    const waiting = turns.taken.get(id) ?? nobody;
    if (waiting.length > 0) {
      waiting.shift()?.();
      return;
    }
    turns.taken.delete(id);
    if (--this.#size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Resolves when no turn is taken. */
  async idle(): Promise<void> {
    while (this.#size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Calls come in runs about one kind: its turns are kept though none is taken, and those of other kinds are not. */
  #of(kind: Kind): KindTurns {
    const last = this.#last;
    if (last !== undefined && sameKind(last.kind, kind)) return last;
    if (last?.taken.size === 0) this.#kinds.delete(kindKey(last.kind));
    const key = kindKey(kind);
    const turns = this.#kinds.get(key) ?? new KindTurns(kind);
    this.#kinds.set(key, turns);
    this.#last = turns;
    return turns;
  }
}

/** That of the kind alone, also of a pointer. */
function kindKey({ namespace, type }: Kind): string {
  return pointerKey({ namespace, type });
}
