import type { Resource, Timestamp, Version } from '@cosi-ts/resource';

/** That a resource was seen in the change stream or in a list. */
export interface Sighting {
  readonly resource: Resource;
  readonly gone: boolean;
}

/** A write that has been begun and not yet answered: what is seen meanwhile can be it, or come after it. */
export class OpenWrite {
  readonly id: string;
  /** Which list was the newest when it was begun, and whether it was still gone through. */
  readonly list: number;
  readonly isListing: boolean;
  /** As the cache had it. */
  readonly before: Resource | undefined;
  readonly seen: Sighting[] = [];

  constructor(id: string, list: number, isListing: boolean, before: Resource | undefined) {
    this.id = id;
    this.list = list;
    this.isListing = isListing;
    this.before = before;
  }

  /** Which life of the id a destruction has ended; undefined when it is not known. */
  get ended(): Timestamp | undefined {
    const known = this.before ?? this.seen.find(({ gone }) => !gone)?.resource;
    return known?.metadata.created;
  }

  hasSeen(written: WrittenState): boolean {
    return this.seen.some((sighting) => written.isReachedBy(sighting));
  }
}

/** What a write of one's own has left: older news of the resource are not let past it. */
export class WrittenState {
  readonly gone: boolean;
  readonly created: Timestamp | undefined;
  readonly version: Version;
  /** A list that was made meanwhile may have been made before the write, or after it. */
  isDoubtful: boolean;

  private constructor(gone: boolean, created: Timestamp | undefined, version: Version, isDoubtful: boolean) {
    this.gone = gone;
    this.created = created;
    this.version = version;
    this.isDoubtful = isDoubtful;
  }

  static as({ metadata }: Resource, isDoubtful: boolean): WrittenState {
    return new WrittenState(false, metadata.created, metadata.version, isDoubtful);
  }

  /** @param created of what was destroyed, if it is known */
  static gone(created: Timestamp | undefined, isDoubtful: boolean): WrittenState {
    return new WrittenState(true, created, undefined, isDoubtful);
  }

  /** Whether it is this write that is seen, or one after it. */
  isReachedBy({ resource: { metadata }, gone }: Sighting): boolean {
    if (this.gone) return gone && (this.created === undefined || this.created.equals(metadata.created));
    return isAsNew(metadata, this);
  }

  /** Whether a list that has the resource so was made after the write. */
  isListedBy({ metadata }: Resource): boolean {
    if (this.created === undefined) return false;
    const order = metadata.created.compare(this.created);
    return order > 0 || (!this.gone && isAsNew(metadata, this));
  }
}

interface Moment {
  readonly created: Timestamp | undefined;
  readonly version: Version;
}

/** Whether it is the same life of the id, at the same version or a later one. */
export function isAsNew(a: Moment, than: Moment): boolean {
  if (a.created === undefined || than.created === undefined || !a.created.equals(than.created)) return false;
  return (a.version ?? 0n) >= (than.version ?? 0n);
}
