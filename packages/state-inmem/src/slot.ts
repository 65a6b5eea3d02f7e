import { compareUtf8, type Metadata, type Resource } from '@cosi-ts/resource';
import { metadataSize, specSize } from './size-estimate.js';

/** Where a resource's newest snapshot is. Views and indexes hold slots, so that a new snapshot changes none of them. */
export class Slot {
  readonly id: string;
  #resource: Resource;
  /** The number of the last event about the resource in the history of its kind, or −1. */
  lastEvent = -1;
  /** True when the resource has been destroyed. */
  gone = false;
  // Sizes are worked out when they are asked for, and again when what they are of has changed: −1 stands for unknown.
  #encodedBytes: number;
  #metadataBytes = -1;
  #specBytes = -1;

  constructor(resource: Resource, encodedBytes: number | undefined) {
    this.id = resource.metadata.id;
    this.#resource = resource;
    this.#encodedBytes = encodedBytes ?? -1;
  }

  get resource(): Resource {
    return this.#resource;
  }

  /** How many bytes the snapshot has where it is encoded, else about how much memory it takes. */
  get bytes(): number {
    if (this.#encodedBytes >= 0) return this.#encodedBytes;
    if (this.#metadataBytes < 0) this.#metadataBytes = metadataSize(this.#resource.metadata);
    if (this.#specBytes < 0) this.#specBytes = specSize(this.#resource.content);
    return this.#metadataBytes + this.#specBytes;
  }

  replace(resource: Resource, encodedBytes: number | undefined): void {
    if (resource.content !== this.#resource.content) this.#specBytes = -1;
    if (!sameSize(resource.metadata, this.#resource.metadata)) this.#metadataBytes = -1;
    this.#resource = resource;
    this.#encodedBytes = encodedBytes ?? -1;
  }
}

function sameSize(a: Metadata, b: Metadata): boolean {
  return (
    a.labels === b.labels && a.annotations === b.annotations && a.finalizers === b.finalizers && a.owner === b.owner
  );
}

/** By id, in the byte order of UTF-8. */
export function compareSlots(a: Slot, b: Slot): number {
  return compareUtf8(a.id, b.id);
}
