import type { Metadata } from '@cosi-ts/resource';

/** That a resource of a watched kind is not what it was. */
export interface InputChange {
  /** As it is now; of one that is gone, as it was last. */
  readonly metadata: Metadata;
  readonly gone: boolean;
}

/** What is known of the resources of a kind, to tell what a list brings that is new. */
export class KnownResources {
  readonly #known = new Map<string, Metadata>();
  /** Ids that the list has brought so far, where there is something to compare with. */
  #listed: Set<string> | undefined;
  #listing = false;

  get size(): number {
    return this.#known.size;
  }

  /** True from the beginning of a list to its end. */
  get listing(): boolean {
    return this.#listing;
  }

  /** As it is when the loop comes to it. */
  values(): Iterable<Metadata> {
    return this.#known.values();
  }

  beginList(): void {
    this.#listing = true;
    this.#listed = this.#known.size === 0 ? undefined : new Set();
  }

  /** There is no list to come to an end. */
  dropList(): void {
    this.#listing = false;
    this.#listed = undefined;
  }

  /** Gives what was known before the list and is not in it, and forgets it. */
  endList(): InputChange[] {
    const vanished: InputChange[] = [];
    for (const [id, metadata] of this.#listed === undefined ? [] : this.#known) {
      if (this.#listed?.has(id) === true) continue;
      this.#known.delete(id);
      vanished.push({ metadata, gone: true });
    }
    this.dropList();
    return vanished;
  }

  /** Keeps what is known now. False when a list brought what was known already. */
  note(metadata: Metadata, gone: boolean): boolean {
    const { id } = metadata;
    if (gone) {
      this.#known.delete(id);
      return true;
    }
    this.#listed?.add(id);
    const before = this.#listing ? this.#known.get(id) : undefined;
    this.#known.set(id, metadata);
    return before === undefined || !isSame(before, metadata);
  }
}

/** The last change of each resource. */
export function latestOfEach(changes: readonly InputChange[]): readonly InputChange[] {
  const latest = new Map<string, InputChange>();
  for (const change of changes) latest.set(change.metadata.id, change);
  return latest.size === changes.length ? changes : [...latest.values()];
}

/** A resource that was made anew differs even at the same version. */
function isSame(a: Metadata, b: Metadata): boolean {
  return a.version === b.version && a.phase === b.phase && a.created.equals(b.created);
}
