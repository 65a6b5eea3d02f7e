import { CorruptError, isCorrupt, type Pointer, type Resource } from '@cosi-ts/resource';
import type { Marshaler } from '@cosi-ts/state-inmem';
import { unframed } from './checksum.js';
import { keyPointer, kindPrefix } from './keys.js';
import type { Entry } from './ledger.js';
import { damagedRecord, unmarshalAt } from './records.js';
import { emptyTally, recordDigest, type Tally, tallied } from './tally.js';

/** A stored record that could not be read. */
export interface BadRecord {
  /** Where it lies; undefined when its key is damaged too. */
  readonly pointer: Pointer | undefined;
  readonly error: CorruptError;
}

/** Reads stored resources in the order of their keys, and keeps count of them. */
export class RecordReader {
  readonly #marshaler: Marshaler;
  readonly #onBad: (bad: BadRecord, key: Uint8Array) => void;
  #kind: { readonly namespace: string; readonly type: string; readonly prefix: Buffer } | undefined;
  #tally = emptyTally;
  #bad = 0;

  /** @param onBad throws to end the reading, or returns to pass over the record */
  constructor(marshaler: Marshaler, onBad: (bad: BadRecord, key: Uint8Array) => void) {
    this.#marshaler = marshaler;
    this.#onBad = onBad;
  }

  /** Of the records that could be read. */
  get tally(): Tally {
    return this.#tally;
  }

  /** How many records could not be read. */
  get bad(): number {
    return this.#bad;
  }

  /** The resources of the entries, without those whose records are bad. */
  async read(entries: readonly Entry[]): Promise<readonly Resource[]> {
    const results = entries.map((entry) => this.#read(entry));
    const resources = results.some((result) => result instanceof Promise) ? await Promise.all(results) : results;
    return resources.filter((resource) => resource !== undefined) as readonly Resource[];
  }

  #read([key, value]: Entry): Resource | undefined | Promise<Resource | undefined> {
    const pointer = this.#pointer(key as Buffer);
    if (pointer === undefined) {
      return this.#pass({ pointer, error: new CorruptError('the key of a stored resource is damaged') }, key);
    }
    const record = unframed(key, value);
    if (record === undefined) {
      return this.#pass({ pointer, error: damagedRecord(pointer, 'its checksum does not fit') }, key);
    }
    try {
      const resource = unmarshalAt(this.#marshaler, record, pointer);
      if (!(resource instanceof Promise)) return this.#count(resource, key);
      return resource.then(
        (read) => this.#count(read, key),
        (error: unknown) => this.#fail(error, pointer, key),
      );
    } catch (error) {
      return this.#fail(error, pointer, key);
    }
  }

  #count(resource: Resource, key: Uint8Array): Resource {
    this.#tally = tallied(this.#tally, recordDigest(key, resource.metadata.version));
    return resource;
  }

  #fail(error: unknown, pointer: Pointer, key: Uint8Array): undefined {
    // What is not about the record, a key that is not to be had for instance, would come again with the next one.
    if (!isCorrupt(error)) throw error;
    return this.#pass({ pointer, error }, key);
  }

  #pass(bad: BadRecord, key: Uint8Array): undefined {
    this.#bad++;
    this.#onBad(bad, key);
    return undefined;
  }

  #pointer(key: Buffer): Pointer | undefined {
    const kind = this.#kind;
    if (kind !== undefined && key.subarray(0, kind.prefix.length).equals(kind.prefix)) {
      // Bytes that are no text give another id than the one in the record, and are found out so.
      return { namespace: kind.namespace, type: kind.type, id: key.toString('utf8', kind.prefix.length) };
    }
    const pointer = keyPointer(key);
    if (pointer !== undefined) {
      this.#kind = { namespace: pointer.namespace, type: pointer.type, prefix: kindPrefix(pointer) };
    }
    return pointer;
  }
}
