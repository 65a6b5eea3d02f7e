import { isCorrupt } from '@cosi-ts/resource';
import type { Marshaler, RecordPlace } from '@cosi-ts/state-inmem';
import { framed, unframed } from './checksum.js';
import { after } from './database.js';
import { decodeEvent, encodeEvent, eventPointer } from './event-record.js';
import type { GroupCommit, UpkeepStep } from './group-commit.js';
import { eventRange, type KeyRange, keyNumber, keyPointer, spaceRange } from './keys.js';
import type { Entry, Ledger } from './ledger.js';
import { unmarshalAt } from './records.js';

/** How many records are looked at in one step, between two batches of writes. */
const stepRecords = 200;

export interface RewriteReport {
  /** How many records of resources were written again. */
  readonly resources: number;
  /** How many events of the log were. */
  readonly events: number;
  /** How many records could not be read, and so stay as they are. */
  readonly unreadable: number;
}

/** Writes again what the marshaler would write otherwise today. */
export class Rewriting {
  readonly #commit: GroupCommit;
  readonly #ledger: Ledger;
  readonly #marshaler: Marshaler;
  #resources = 0;
  #events = 0;
  #unreadable = 0;

  constructor(commit: GroupCommit, ledger: Ledger, marshaler: Marshaler) {
    this.#commit = commit;
    this.#ledger = ledger;
    this.#marshaler = marshaler;
  }

  async run(signal: AbortSignal | undefined): Promise<RewriteReport> {
    if (this.#marshaler.isCurrent !== undefined) {
      await this.#all(spaceRange('resource'), (entry) => this.#resource(entry), signal);
      // What is written from now on is current.
      const { floor, position } = this.#ledger.extent;
      await this.#all(eventRange(floor, position), (entry) => this.#event(entry), signal);
    }
    return { resources: this.#resources, events: this.#events, unreadable: this.#unreadable };
  }

  async #all(
    range: KeyRange,
    rewrite: (entry: Entry) => Promise<Change | undefined>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    let rest: KeyRange | undefined = range;
    while (rest !== undefined) {
      signal?.throwIfAborted();
      const step: KeyRange = rest;
      await this.#commit.maintain(async (database) => {
        const entries = await database.read(step, { limit: stepRecords });
        const last = entries.at(-1);
        rest = last === undefined ? undefined : { start: after(last[0]), end: step.end };
        const changes = await Promise.all(entries.map(rewrite));
        return this.#step(changes.filter((change) => change !== undefined));
      });
    }
  }

  #step(changes: readonly Change[]): UpkeepStep | undefined {
    if (changes.length === 0) return undefined;
    const { extent } = this.#ledger;
    const logGrowth = changes.reduce((sum, { event, growth }) => sum + (event ? growth : 0), 0);
    return {
      fill: (batch) => {
        for (const { key, value } of changes) batch.put(key, value);
      },
      extent: { ...extent, eventBytes: extent.eventBytes + logGrowth },
      // Who is told that all is written again may throw the old key away.
      sync: true,
      onDone: () => {
        for (const { event } of changes) {
          if (event) this.#events++;
          else this.#resources++;
        }
      },
    };
  }

  /** Undefined when the record is current, or cannot be read. */
  async #resource([key, value]: Entry): Promise<Change | undefined> {
    const pointer = keyPointer(key);
    const record = unframed(key, value);
    const rewritten =
      pointer === undefined || record === undefined ? 'unreadable' : await this.#record(record, pointer);
    if (rewritten === 'unreadable') this.#unreadable++;
    if (typeof rewritten === 'string') return undefined;
    const framedRecord = framed(key, rewritten);
    return { key, value: framedRecord, event: false, growth: framedRecord.length - value.length };
  }

  async #event([key, value]: Entry): Promise<Change | undefined> {
    const event = decodeEvent(key, value);
    const pointer = event === undefined ? undefined : eventPointer(event);
    if (event === undefined || pointer === undefined) {
      this.#unreadable++;
      return undefined;
    }
    const place = { ...pointer, position: keyNumber(key) as number };
    const resource = await this.#record(event.resource, place);
    const old = event.old === undefined ? 'current' : await this.#record(event.old, place);
    if (resource === 'unreadable' || old === 'unreadable') this.#unreadable++;
    if (typeof resource === 'string' && typeof old === 'string') return undefined;
    const encoded = encodeEvent(key, {
      ...event,
      resource: typeof resource === 'string' ? event.resource : resource,
      old: typeof old === 'string' ? event.old : old,
    });
    return { key, value: encoded, event: true, growth: encoded.length - value.length };
  }

  async #record(record: Uint8Array, place: RecordPlace): Promise<Uint8Array | 'current' | 'unreadable'> {
    try {
      if ((await this.#marshaler.isCurrent?.(record, place)) !== false) return 'current';
      const resource = await unmarshalAt(this.#marshaler, record, place);
      return await this.#marshaler.marshal(resource, place);
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      return 'unreadable';
    }
  }
}

/** A value that replaces another one. */
interface Change {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly event: boolean;
  /** By how many bytes it is longer. */
  readonly growth: number;
}
