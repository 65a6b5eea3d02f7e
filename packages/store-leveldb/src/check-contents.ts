import { CorruptError, isCorrupt, type Pointer } from '@cosi-ts/resource';
import type { Marshaler } from '@cosi-ts/state-inmem';
import { bytesChecksum, unframed } from './checksum.js';
import type { Database } from './database.js';
import { decodeEvent, eventPointer } from './event-record.js';
import { keyNumber, keyPointer, spaceRange, unusedRanges } from './keys.js';
import type { Entry, Ledger } from './ledger.js';
import { allEntries, readLedger } from './open-database.js';
import { readOpenings } from './openings.js';
import { damagedRecord, unmarshalAt } from './records.js';
import { loggedEvent } from './store-log.js';
import { emptyTally, recordDigest, type Tally, tallied, tallyFault } from './tally.js';

/** Something in a store that is not what was written. */
export interface Damage {
  readonly what: string;
  /** The file concerned, where it is about a file. */
  readonly file?: string;
  /** The resource concerned, where there is one. */
  readonly pointer?: Pointer | undefined;
  /** The position of the event concerned, where there is one. */
  readonly position?: number;
}

export interface ContentsReport {
  /** How many records of resources there are. */
  readonly resources: number;
  /** How many of them are in each namespace. */
  readonly namespaces: Readonly<Record<string, number>>;
  /** How many events are kept. */
  readonly events: number;
  /** The newest position; undefined when it cannot be told. */
  readonly position: number | undefined;
}

/** What was read of one namespace. */
interface Found {
  /** Of the records that could be read. */
  readonly tally: Tally;
  readonly bad: number;
}

const nothing: Found = Object.freeze({ tally: emptyTally, bad: 0 });

/**
 * Reads all that a database holds, and compares it with what it should hold.
 *
 * @param marshaler decodes the records too; without one it is left at their checksums
 */
export async function checkContents(
  database: Database,
  marshaler: Marshaler | undefined,
  report: (damage: Damage) => void,
  signal: AbortSignal | undefined,
): Promise<ContentsReport> {
  const ledger = await attempt(() => readLedger(database), report);
  await attempt(async () => {
    readOpenings(await allEntries(database, spaceRange('opening')), ledger?.extent.position ?? Number.MAX_SAFE_INTEGER);
  }, report);
  await checkKeys(database, report);
  const found = await checkResources(database, marshaler, report, signal);
  if (ledger !== undefined) compareTallies(ledger, found, marshaler !== undefined, report);
  const events = await checkEvents(database, marshaler, ledger, report, signal);
  const namespaces = Object.fromEntries([...found].map(([name, { tally, bad }]) => [name, tally.resources + bad]));
  const resources = Object.values(namespaces).reduce((sum, count) => sum + count, 0);
  return { resources, namespaces, events, position: ledger?.extent.position };
}

/** The result, unless there is damage in the way of it, which is reported then. */
async function attempt<T>(work: () => Promise<T>, report: (damage: Damage) => void): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    report({ what: error.message });
    return undefined;
  }
}

async function checkKeys(database: Database, report: (damage: Damage) => void): Promise<void> {
  for (const range of unusedRanges()) {
    for (const [key] of await database.read(range, { limit: 1 })) {
      report({ what: `there is an unknown key: ${Buffer.from(key).toString('hex')}` });
    }
  }
}

async function checkResources(
  database: Database,
  marshaler: Marshaler | undefined,
  report: (damage: Damage) => void,
  signal: AbortSignal | undefined,
): Promise<Map<string, Found>> {
  const found = new Map<string, Found>();
  for await (const entries of database.entries(spaceRange('resource'))) {
    signal?.throwIfAborted();
    const records = await Promise.all(entries.map((entry) => checkRecord(entry, marshaler)));
    for (const { pointer, damage, digest } of records) {
      if (damage !== undefined) report({ what: damage.message, pointer });
      if (pointer === undefined) continue;
      const { tally, bad } = found.get(pointer.namespace) ?? nothing;
      found.set(
        pointer.namespace,
        damage === undefined ? { tally: tallied(tally, digest), bad } : { tally, bad: bad + 1 },
      );
    }
  }
  return found;
}

async function checkRecord([key, value]: Entry, marshaler: Marshaler | undefined) {
  const pointer = keyPointer(key);
  if (pointer === undefined) {
    return { pointer, digest: 0, damage: new CorruptError('the key of a stored resource is damaged') };
  }
  const record = unframed(key, value);
  if (record === undefined) return { pointer, digest: 0, damage: damagedRecord(pointer, 'its checksum does not fit') };
  if (marshaler === undefined) return { pointer, digest: 0 };
  try {
    const resource = await unmarshalAt(marshaler, record, pointer);
    return { pointer, digest: recordDigest(bytesChecksum(key), resource.metadata.version) };
  } catch (damage) {
    if (!isCorrupt(damage)) throw damage;
    return { pointer, digest: 0, damage };
  }
}

function compareTallies(
  ledger: Ledger,
  found: ReadonlyMap<string, Found>,
  decoded: boolean,
  report: (damage: Damage) => void,
): void {
  for (const namespace of new Set([...ledger.namespaces, ...found.keys()])) {
    const fault = tallyFault(namespace, ledger.tally(namespace), found.get(namespace) ?? nothing, decoded);
    if (fault !== undefined) report({ what: fault.message });
  }
}

/** Gives how many events there are. */
async function checkEvents(
  database: Database,
  marshaler: Marshaler | undefined,
  ledger: Ledger | undefined,
  report: (damage: Damage) => void,
  signal: AbortSignal | undefined,
): Promise<number> {
  let events = 0;
  let bytes = 0;
  let next = ledger === undefined ? undefined : ledger.extent.floor + 1;
  for await (const entries of database.entries(spaceRange('event'))) {
    signal?.throwIfAborted();
    for (const [key, value] of entries) {
      const position = keyNumber(key);
      if (position === undefined) report({ what: 'the key of an event is damaged' });
      else if (next !== undefined && position !== next) report(gap(next, position));
      if (position !== undefined) next = position + 1;
      events++;
      bytes += key.length + value.length;
    }
    const damages = await Promise.all(entries.map((entry) => damageOfEvent(entry, marshaler)));
    for (const damage of damages) if (damage !== undefined) report(damage);
  }
  if (ledger !== undefined) {
    const { position, eventBytes } = ledger.extent;
    if (next !== position + 1) report(gap(next as number, position + 1));
    else if (bytes !== eventBytes) report({ what: `the event log has ${bytes} bytes instead of ${eventBytes}` });
  }
  return events;
}

function gap(expected: number, found: number): Damage {
  if (found < expected) return { what: `event ${found} is one too many in the log`, position: found };
  const last = found - 1;
  const what = last === expected ? `event ${expected} is` : `events ${expected} to ${last} are`;
  return { what: `${what} missing from the log`, position: expected };
}

async function damageOfEvent([key, value]: Entry, marshaler: Marshaler | undefined): Promise<Damage | undefined> {
  const position = keyNumber(key);
  if (position === undefined) return undefined;
  const event = decodeEvent(key, value);
  const pointer = event === undefined ? undefined : eventPointer(event);
  if (event === undefined || pointer === undefined) return { what: `event ${position} is damaged`, position };
  if (marshaler === undefined) return undefined;
  try {
    await loggedEvent(marshaler, { position, event });
    return undefined;
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return { what: error.message, pointer, position };
  }
}
