import { CorruptError } from '@cosi-ts/resource';
import { bytesChecksum, framed, framedText, unframed } from './checksum.js';
import type { Batch } from './database.js';
import { keyText, metaKey, namespaceKey } from './keys.js';
import { emptyTally, type Tally } from './tally.js';

/** One entry of the database. */
export type Entry = readonly [key: Uint8Array, value: Uint8Array];

/** How far the log reaches and how large it is. */
export interface LogExtent {
  /** The newest position. */
  readonly position: number;
  /** The events after this position are kept. */
  readonly floor: number;
  /** How many bytes the kept events have, keys included. */
  readonly eventBytes: number;
}

/** What the database as a whole should hold. It is written with every batch. */
interface Head extends LogExtent {
  readonly namespaces: number;
  readonly resources: number;
  readonly sum: number;
}

export const headKey = metaKey('head');
const headChecksum = bytesChecksum(headKey);

// JSON, put together by hand: every batch has both, and of a batch with one write they would take a good part of the time.

function headText({ position, floor, eventBytes }: LogExtent, namespaces: number, { resources, sum }: Tally): string {
  return `{"position":${position},"floor":${floor},"eventBytes":${eventBytes},"namespaces":${namespaces},"resources":${resources},"sum":${sum}}`;
}

function tallyText({ resources, sum }: Tally): string {
  return `{"resources":${resources},"sum":${sum}}`;
}

/** A value for a key, or undefined when the key is to go. */
export type LedgerWrite = readonly [key: Uint8Array, value: Uint8Array | undefined];

/** What a batch makes of the ledger, once it is durable. */
export interface LedgerChange {
  readonly extent: LogExtent;
  /** Those that are different then. */
  readonly tallies: ReadonlyMap<string, Tally>;
}

/** What a store knows of its database without reading it: the state that the last successful batch left. */
export class Ledger {
  #extent: LogExtent;
  readonly #tallies: Map<string, Tally>;
  #total: Tally;

  private constructor(extent: LogExtent, tallies: Map<string, Tally>, total: Tally) {
    this.#extent = extent;
    this.#tallies = tallies;
    this.#total = total;
  }

  /** Of a database without resources. */
  static empty(position = 0): Ledger {
    return new Ledger({ position, floor: position, eventBytes: 0 }, new Map(), emptyTally);
  }

  /**
   * Reads what {@link writes} gives. Throws `corrupt` when parts of it are missing or do not add up.
   *
   * @param head the value of {@link headKey}
   * @param namespaces all entries of the key space of namespaces
   */
  static read(head: Uint8Array | undefined, namespaces: readonly Entry[]): Ledger {
    const extent = parseHead(head);
    const tallies = new Map<string, Tally>();
    let total = emptyTally;
    for (const [key, value] of namespaces) {
      const namespace = keyText(key);
      const tally = parseTally(unframed(key, value));
      if (namespace === undefined || tally === undefined) {
        throw new CorruptError(`the store's account of namespace ${JSON.stringify(namespace ?? '?')} is damaged`);
      }
      tallies.set(namespace, tally);
      total = { resources: total.resources + tally.resources, sum: (total.sum + tally.sum) >>> 0 };
    }
    if (tallies.size !== extent.namespaces || total.resources !== extent.resources || total.sum !== extent.sum) {
      throw new CorruptError(
        `the store should hold ${extent.resources} resources in ${extent.namespaces} namespaces, but its accounts give ${total.resources} in ${tallies.size}, or others`,
      );
    }
    const { position, floor, eventBytes } = extent;
    return new Ledger({ position, floor, eventBytes }, tallies, total);
  }

  get extent(): LogExtent {
    return this.#extent;
  }

  /** Over all namespaces. */
  get total(): Tally {
    return this.#total;
  }

  /** Those that hold a resource. */
  get namespaces(): readonly string[] {
    return [...this.#tallies.keys()];
  }

  tally(namespace: string): Tally {
    return this.#tallies.get(namespace) ?? emptyTally;
  }

  apply({ extent, tallies }: LedgerChange): void {
    this.#extent = extent;
    this.#total = this.#totalWith(tallies);
    for (const [namespace, tally] of tallies) {
      if (tally.resources > 0) this.#tallies.set(namespace, tally);
      else this.#tallies.delete(namespace);
    }
  }

  /** What is to be written so that the database agrees once the change is applied. */
  writes({ extent, tallies }: LedgerChange): LedgerWrite[] {
    const total = this.#totalWith(tallies);
    let namespaces = this.#tallies.size;
    const writes: LedgerWrite[] = [];
    for (const [namespace, tally] of tallies) {
      const isHeld = tally.resources > 0;
      namespaces += Number(isHeld) - Number(this.#tallies.has(namespace));
      const key = namespaceKey(namespace);
      writes.push([key, isHeld ? framedText(bytesChecksum(key), tallyText(tally)) : undefined]);
    }
    writes.push([headKey, framedText(headChecksum, headText(extent, namespaces, total))]);
    return writes;
  }

  /** What takes a change back that was not applied. */
  undo({ tallies }: LedgerChange): LedgerWrite[] {
    const before = new Map([...tallies.keys()].map((namespace) => [namespace, this.tally(namespace)]));
    return this.writes({ extent: this.#extent, tallies: before });
  }

  /** All of it. */
  allWrites(): LedgerWrite[] {
    return this.writes({ extent: this.#extent, tallies: this.#tallies });
  }

  #totalWith(tallies: ReadonlyMap<string, Tally>): Tally {
    let { resources, sum } = this.#total;
    for (const [namespace, tally] of tallies) {
      const before = this.tally(namespace);
      resources += tally.resources - before.resources;
      sum = (sum + tally.sum - before.sum) >>> 0;
    }
    return { resources, sum };
  }
}

/** Adds what the ledger writes to a batch. */
export function putLedger(batch: Batch, writes: readonly LedgerWrite[]): void {
  for (const [key, value] of writes) {
    if (value === undefined) batch.del(key);
    else batch.put(key, value);
  }
}

/** Just the part of the head that says how far the log reaches. Throws `corrupt`. */
export function readExtent(head: Uint8Array | undefined): LogExtent {
  const { position, floor, eventBytes } = parseHead(head);
  return { position, floor, eventBytes };
}

/** An entry whose value is JSON, which reads well in a hex dump and can grow. */
export function jsonEntry(key: Uint8Array, value: unknown): Entry {
  return [key, framed(key, Buffer.from(JSON.stringify(value)))];
}

/** Undefined when it is damaged. */
export function parseJson(body: Buffer | undefined): Record<string, unknown> | undefined {
  if (body === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Its checksum fits, so it was written so: the caller refuses it as damaged.
    return undefined;
  }
}

function parseHead(value: Uint8Array | undefined): Head {
  if (value === undefined) throw new CorruptError('the head of the store is missing');
  const head = parseJson(unframed(headKey, value));
  const numbers = ['position', 'floor', 'eventBytes', 'namespaces', 'resources', 'sum'];
  if (head === undefined || !numbers.every((name) => isCount(head[name]))) {
    throw new CorruptError('the head of the store is damaged');
  }
  return head as unknown as Head;
}

function parseTally(body: Buffer | undefined): Tally | undefined {
  const tally = parseJson(body);
  if (tally === undefined || !isCount(tally.resources) || !isCount(tally.sum)) return undefined;
  return { resources: tally.resources, sum: tally.sum };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
