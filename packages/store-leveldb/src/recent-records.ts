import type { Resource } from '@cosi-ts/resource';

/** How many bytes of records are remembered. */
const maxBytes = 1024 * 1024;

/**
 * The records of the resources that were updated last. What is updated often is updated again soon, and the event of an
 * update holds the record of what it replaces: it need not be made once more.
 */
export class RecentRecords {
  /** The one that was written longest ago comes first. */
  readonly #records = new Map<Resource, Uint8Array>();
  #bytes = 0;

  /** Remembers what a snapshot was marshaled to. */
  add(resource: Resource, record: Uint8Array): void {
    this.#records.set(resource, record);
    this.#bytes += record.length;
    if (this.#bytes > maxBytes) this.#forgetOldest();
  }

  /** The record of that very snapshot, which is remembered no longer: it is about to be replaced. */
  take(resource: Resource): Uint8Array | undefined {
    const record = this.#records.get(resource);
    if (record === undefined) return undefined;
    this.#records.delete(resource);
    this.#bytes -= record.length;
    return record;
  }

  #forgetOldest(): void {
    for (const [resource, record] of this.#records) {
      if (this.#bytes <= maxBytes) return;
      this.#records.delete(resource);
      this.#bytes -= record.length;
    }
  }
}
