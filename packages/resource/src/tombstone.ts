import { InvalidArgumentError } from './errors.js';
import { Metadata } from './metadata.js';
import { type Kind, type Pointer, pointerText } from './pointer.js';
import { Resource } from './resource.js';
import type { SpecContent } from './spec-content.js';
import type { Timestamp } from './timestamp.js';
import type { Version } from './version.js';

class NoContent implements SpecContent {
  readonly tombstone = true;
  readonly #pointer: Pointer;

  constructor(pointer: Pointer) {
    this.#pointer = pointer;
    Object.freeze(this);
  }

  valueFor(): never {
    throw new InvalidArgumentError(`resource ${pointerText(this.#pointer)} is a tombstone: it has no spec`, {
      subject: this.#pointer,
    });
  }

  equalsEncoded(other: SpecContent): boolean {
    return other.tombstone === true;
  }
}

/** Stands for a resource that is not there: it has metadata, and reading its spec is an `invalid-argument` error. */
export function tombstone(pointer: Pointer, now: Timestamp, version?: Version): Resource {
  const metadata = new Metadata({
    namespace: pointer.namespace,
    type: pointer.type,
    id: pointer.id,
    version,
    created: now,
    updated: now,
  });
  return new Resource(metadata, new NoContent(metadata));
}

/** The tombstone that bookmarks of a whole kind come with: its id is empty. */
export function kindTombstone(kind: Kind, now: Timestamp): Resource {
  return tombstone({ namespace: kind.namespace, type: kind.type, id: '' }, now);
}

/** True for tombstones of this package, also those of another copy of it. */
export function isTombstone(resource: Resource): boolean {
  return resource.content.tombstone === true;
}
