import { CorruptError, isCorrupt, type Kind, type Pointer, type Resource, type Version } from '@cosi-ts/resource';
import type { Marshaler } from '@cosi-ts/state-inmem';
import { bytesChecksum, unframedAt } from './checksum.js';
import type { EntrySink } from './files/table-scan.js';
import { idText, keyPointer, kindPrefixText, resourceKey } from './keys.js';
import type { Entry } from './ledger.js';
import { RecordPage } from './record-page.js';
import { damagedRecord, unmarshalAt } from './records.js';
import { recordDigest, type Tally } from './tally.js';

/** A stored record that could not be read. */
export interface BadRecord {
  /** Where it lies; undefined when its key is damaged too. */
  readonly pointer: Pointer | undefined;
  readonly error: CorruptError;
}

/** What the keys of a kind have in common. */
interface KindKeys extends Kind {
  readonly prefix: Uint8Array;
  readonly checksum: number;
}

/** Reads stored resources in the order of their keys, and keeps count of them. */
export class RecordReader implements EntrySink {
  readonly #marshaler: Marshaler;
  readonly #onBad: (bad: BadRecord, key: string) => void;
  readonly #glances: boolean;
  #kind: KindKeys | undefined;
  #read: Resource[] = [];
  #pages: RecordPage[] = [];
  #pending: Promise<Resource | undefined>[] = [];
  #failure: { readonly error: unknown } | undefined;
  #resources = 0;
  #sum = 0;
  #bad = 0;

  /**
   * @param onBad throws to end the reading, or returns to pass over the record; given its key, a character for a byte
   * @param glances whether records that are in order at a glance are left for later, in pages
   */
  constructor(marshaler: Marshaler, onBad: (bad: BadRecord, key: string) => void, glances = false) {
    this.#marshaler = marshaler;
    this.#onBad = onBad;
    this.#glances = glances;
  }

  /** Of the records that could be read. */
  get tally(): Tally {
    return { resources: this.#resources, sum: this.#sum };
  }

  /** How many records could not be read. */
  get bad(): number {
    return this.#bad;
  }

  /** Reads one. What is wrong with it is told by {@link take}. */
  add(key: Uint8Array, keyLength: number, source: Uint8Array, start: number, end: number): void {
    if (this.#failure !== undefined) return;
    try {
      const resource = this.#resourceOf(key, keyLength, source, start, end);
      if (resource instanceof Promise) this.#pending.push(resource);
      else if (resource !== undefined) this.#read.push(resource);
    } catch (error) {
      this.#failure = { error };
    }
  }

  /** The same of entries of the database. */
  addAll(entries: readonly Entry[]): void {
    for (const [key, value] of entries) this.add(key, key.length, value, 0, value.length);
  }

  /** The resources of the records since the last call, without those that are bad, and those left for later. */
  async take(): Promise<{ readonly resources: readonly Resource[]; readonly pages: readonly RecordPage[] }> {
    const resources = this.#read;
    const pages = this.#pages;
    const pending = this.#pending;
    this.#read = [];
    this.#pages = [];
    this.#pending = [];
    for (const resource of await Promise.all(pending)) if (resource !== undefined) resources.push(resource);
    if (this.#failure !== undefined) throw this.#failure.error;
    return { resources, pages };
  }

  #resourceOf(
    key: Uint8Array,
    keyLength: number,
    source: Uint8Array,
    start: number,
    end: number,
  ): Resource | undefined | Promise<Resource | undefined> {
    const kind = this.#kindOf(key, keyLength);
    const id = kind === undefined ? undefined : idText(key, kind.prefix.length, keyLength);
    if (kind === undefined || id === undefined) {
      const error = new CorruptError('the key of a stored resource is damaged');
      return this.#pass({ pointer: undefined, error }, key.subarray(0, keyLength));
    }
    const pointer = { namespace: kind.namespace, type: kind.type, id };
    const checksum = bytesChecksum(key, kind.prefix.length, keyLength, kind.checksum);
    const record = unframedAt(checksum, source, start, end);
    if (record === undefined) {
      const error = damagedRecord(pointer, 'its checksum does not fit');
      return this.#pass({ pointer, error }, resourceKey(pointer));
    }
    try {
      const glance = this.#glances ? this.#marshaler.glance?.(record, pointer) : undefined;
      if (glance !== undefined) {
        this.#pageOf(kind).add(id, record, glance);
        return this.#count(undefined, checksum, glance.version);
      }
      const resource = unmarshalAt(this.#marshaler, record, pointer);
      if (!(resource instanceof Promise)) return this.#count(resource, checksum, resource.metadata.version);
      return resource.then(
        (read) => this.#count(read, checksum, read.metadata.version),
        (error: unknown) => this.#fail(error, pointer),
      );
    } catch (error) {
      return this.#fail(error, pointer);
    }
  }

  #count<R extends Resource | undefined>(read: R, keyChecksum: number, version: Version): R {
    this.#resources++;
    this.#sum = (this.#sum + recordDigest(keyChecksum, version)) >>> 0;
    return read;
  }

  #pageOf(kind: KindKeys): RecordPage {
    const last = this.#pages.at(-1);
    if (last?.kind === kind) return last;
    const page = new RecordPage(kind, this.#marshaler);
    this.#pages.push(page);
    return page;
  }

  #fail(error: unknown, pointer: Pointer): undefined {
    // What is not about the record, a key that is not to be had for instance, would come again with the next one.
    if (!isCorrupt(error)) throw error;
    return this.#pass({ pointer, error }, resourceKey(pointer));
  }

  #pass(bad: BadRecord, key: Uint8Array): undefined {
    this.#bad++;
    this.#onBad(bad, Buffer.from(key).toString('latin1'));
    return undefined;
  }

  #kindOf(key: Uint8Array, keyLength: number): KindKeys | undefined {
    if (this.#kind !== undefined && startsWith(key, keyLength, this.#kind.prefix)) return this.#kind;
    const pointer = keyPointer(key.subarray(0, keyLength));
    if (pointer === undefined) return undefined;
    const prefix = Buffer.from(kindPrefixText(pointer));
    this.#kind = { namespace: pointer.namespace, type: pointer.type, prefix, checksum: bytesChecksum(prefix) };
    return this.#kind;
  }
}

function startsWith(key: Uint8Array, keyLength: number, prefix: Uint8Array): boolean {
  if (keyLength < prefix.length) return false;
  for (let i = prefix.length - 1; i >= 0; i--) if (key[i] !== prefix[i]) return false;
  return true;
}
