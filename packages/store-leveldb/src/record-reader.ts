import { CorruptError, isCorrupt, type Pointer, type Resource } from '@cosi-ts/resource';
import type { Marshaler } from '@cosi-ts/state-inmem';
import { textChecksum, unframedBy } from './checksum.js';
import { after, type Database } from './database.js';
import { type KeyRange, keyPointer, kindPrefixText } from './keys.js';
import { damagedRecord, unmarshalAt } from './records.js';
import { Slabs } from './slabs.js';
import { emptyTally, recordDigest, type Tally, tallied } from './tally.js';

/** A stored record that could not be read. */
export interface BadRecord {
  /** Where it lies; undefined when its key is damaged too. */
  readonly pointer: Pointer | undefined;
  readonly error: CorruptError;
}

/** A stored record as it lies there, with its key as text. */
export type StoredRecord = readonly [key: string, value: Buffer];

/** How many records are read in one step. */
const chunkRecords = 1000;

/** What a key holds in place of bytes that are no text. */
const noText = '\ufffd';

/** Some records, and the range in which the next ones are. */
export interface RecordChunk {
  readonly records: readonly StoredRecord[];
  readonly rest: KeyRange;
}

/** Reads some of the resources of a range; undefined when there are no more. */
export async function readRecords(database: Database, range: KeyRange): Promise<RecordChunk | undefined> {
  const records = await database.readText(range, chunkRecords);
  const last = records.at(-1)?.[0];
  if (last === undefined) return undefined;
  if (!last.includes(noText)) return { records, rest: { start: after(Buffer.from(last)), end: range.end } };
  // It may not be the key that is there, and nothing can be read after it.
  const entries = await database.read(range, { limit: records.length });
  const [key] = entries.at(-1) ?? [];
  return key === undefined ? undefined : { records, rest: { start: after(key), end: range.end } };
}

/** What the keys of a kind have in common. */
interface KindKeys {
  readonly namespace: string;
  readonly type: string;
  readonly prefix: string;
  readonly checksum: number;
}

/** Reads stored resources in the order of their keys, and keeps count of them. */
export class RecordReader {
  readonly #marshaler: Marshaler;
  readonly #onBad: (bad: BadRecord, key: string) => void;
  readonly #slabs = new Slabs();
  readonly #bodyOf = (value: Buffer, from: number) => this.#slabs.move(value, from);
  #kind: KindKeys | undefined;
  #tally = emptyTally;
  #bad = 0;

  /** @param onBad throws to end the reading, or returns to pass over the record */
  constructor(marshaler: Marshaler, onBad: (bad: BadRecord, key: string) => void) {
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

  /** The resources of the records, without those that are bad. */
  async read(records: readonly StoredRecord[]): Promise<readonly Resource[]> {
    const resources: Resource[] = [];
    const pending: Promise<Resource | undefined>[] = [];
    for (const record of records) {
      const resource = this.#read(record);
      if (resource instanceof Promise) pending.push(resource);
      else if (resource !== undefined) resources.push(resource);
    }
    for (const resource of await Promise.all(pending)) if (resource !== undefined) resources.push(resource);
    return resources;
  }

  #read([key, value]: StoredRecord): Resource | undefined | Promise<Resource | undefined> {
    const kind = this.#kindOf(key);
    if (kind === undefined) {
      return this.#pass(
        { pointer: undefined, error: new CorruptError('the key of a stored resource is damaged') },
        key,
      );
    }
    const id = key.slice(kind.prefix.length);
    const pointer = { namespace: kind.namespace, type: kind.type, id };
    const checksum = textChecksum(id, kind.checksum);
    const record = unframedBy(checksum, value, this.#bodyOf);
    if (record === undefined) {
      return this.#pass({ pointer, error: damagedRecord(pointer, 'its checksum does not fit') }, key);
    }
    try {
      const resource = unmarshalAt(this.#marshaler, record, pointer);
      if (!(resource instanceof Promise)) return this.#count(resource, checksum);
      return resource.then(
        (read) => this.#count(read, checksum),
        (error: unknown) => this.#fail(error, pointer, key),
      );
    } catch (error) {
      return this.#fail(error, pointer, key);
    }
  }

  #count(resource: Resource, keyChecksum: number): Resource {
    this.#tally = tallied(this.#tally, recordDigest(keyChecksum, resource.metadata.version));
    return resource;
  }

  #fail(error: unknown, pointer: Pointer, key: string): undefined {
    // What is not about the record, a key that is not to be had for instance, would come again with the next one.
    if (!isCorrupt(error)) throw error;
    return this.#pass({ pointer, error }, key);
  }

  #pass(bad: BadRecord, key: string): undefined {
    this.#bad++;
    this.#onBad(bad, key);
    return undefined;
  }

  #kindOf(key: string): KindKeys | undefined {
    if (this.#kind !== undefined && key.startsWith(this.#kind.prefix)) return this.#kind;
    const pointer = keyPointer(Buffer.from(key));
    if (pointer === undefined) return undefined;
    const prefix = kindPrefixText(pointer);
    this.#kind = { namespace: pointer.namespace, type: pointer.type, prefix, checksum: textChecksum(prefix) };
    return this.#kind;
  }
}
