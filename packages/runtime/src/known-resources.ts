import type { Metadata, Timestamp } from '@cosi-ts/resource';

/** That a resource of a watched kind is not what it was. */
export interface InputChange {
  /** As it is now; of one that is gone, as it was last. */
  readonly metadata: Metadata;
  readonly gone: boolean;
}

/**
 * What is known of the resources of a kind, to tell what a list brings that is new. Changes that come while a list is
 * gone through are newer than it, and stand against what it says.
 */
export class KnownResources {
  readonly #known = new Map<string, Metadata>();
  /** The time of the change that began the teardown, of ids for which that was seen. */
  readonly #tornDown = new Map<string, Timestamp>();
  /** Ids that the list has brought so far, where there is something to compare with. */
  #listed: Set<string> | undefined;
  /** Ids that have changed since the list was made, while it is gone through. */
  #changed: Set<string> | undefined;

  get size(): number {
    return this.#known.size;
  }

  tornDownSince(id: string): Timestamp | undefined {
    return this.#tornDown.get(id);
  }

  /** As it is when the loop comes to it. */
  values(): Iterable<Metadata> {
    return this.#known.values();
  }

  beginList(): void {
    this.#changed = new Set();
    this.#listed = this.#known.size === 0 ? undefined : new Set();
  }

  /** False when the list brings what was known already, or knows less. */
  list(metadata: Metadata): boolean {
    const { id } = metadata;
    if (this.#changed?.has(id) === true) return false;
    this.#listed?.add(id);
    const before = this.#known.get(id);
    this.#known.set(id, metadata);
    return before === undefined || !isSame(before, metadata);
  }

  /** Gives what was known before the list and is not in it, and forgets it. */
  endList(): InputChange[] {
    const vanished: InputChange[] = [];
    for (const [id, metadata] of this.#listed === undefined ? [] : this.#known) {
      if (this.#listed?.has(id) === true || this.#changed?.has(id) === true) continue;
      this.#known.delete(id);
      this.#tornDown.delete(id);
      vanished.push({ metadata, gone: true });
    }
    this.#listed = undefined;
    this.#changed = undefined;
    return vanished;
  }

  /** Keeps what has become of a resource. */
  change({ metadata, gone }: InputChange): void {
    const { id } = metadata;
    this.#changed?.add(id);
    this.#noteTeardown(metadata, gone);
    if (gone) this.#known.delete(id);
    else this.#known.set(id, metadata);
  }

  #noteTeardown({ id, phase, updated, created }: Metadata, gone: boolean): void {
    if (gone || phase !== 'tearingDown') {
      if (this.#tornDown.size > 0) this.#tornDown.delete(id);
      return;
    }
    const before = this.#known.get(id);
    if (before?.phase === 'running' && before.created.equals(created)) this.#tornDown.set(id, updated);
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
