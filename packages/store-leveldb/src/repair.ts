import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isCorrupt } from '@cosi-ts/resource';
import { type CallOptions, type Clock, type Random, systemClock, systemRandom } from '@cosi-ts/state';
import type { Marshaler } from '@cosi-ts/state-inmem';
import { ClassicLevel } from 'classic-level';
import type { Damage } from './check-contents.js';
import { bytesChecksum } from './checksum.js';
import { writeClosingRecord } from './closing-record.js';
import { Database } from './database.js';
import type { FilesReport } from './files/check-files.js';
import { fileContents, folderFiles } from './files/folder-files.js';
import { logRecord, writeLogFormat } from './files/log-format.js';
import { checkTable, salvageTable } from './files/table.js';
import { formatEntry } from './format.js';
import { keyNumber, resourceKey, spaceRange } from './keys.js';
import { headKey, Ledger, putLedger, readExtent } from './ledger.js';
import { makeFolder } from './new-folder.js';
import { allEntries, readLedger } from './open-database.js';
import { nextOpening, type Opening, openingEntry, readOpenings } from './openings.js';
import { RecordReader } from './record-reader.js';
import { withScratchCopy } from './scratch-copy.js';
import { emptyTally, recordDigest, type Tally, tallied, tallyFault } from './tally.js';
import { inspectFiles, isReadable, withClosedStore } from './verify.js';

export interface RepairOptions extends CallOptions {
  readonly marshaler: Marshaler;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
  /** Default: the system's. */
  readonly random?: Random | undefined;
}

export interface RepairReport {
  /** How many resources the new store has. */
  readonly resources: number;
  /** What is not in it, or cannot be vouched for. */
  readonly damage: readonly Damage[];
  /** Where its events go on. It keeps none from before. */
  readonly position: number;
}

/**
 * Makes a new store of what can be read of one that is damaged, and tells what could not. The damaged one stays as it is.
 *
 * The new store goes on with higher positions than the old one, and keeps no event of it: changes may be missing, so
 * bookmarks from before are refused, and who watches lists anew.
 *
 * @param into must not exist, or be empty
 * @throws what `verifyLevelDBStore` throws
 */
export async function repairLevelDBStore(folder: string, into: string, options: RepairOptions): Promise<RepairReport> {
  return withClosedStore(folder, 'repair', async (path) => {
    options.signal?.throwIfAborted();
    const { files, closing } = await inspectFiles(path);
    const damage: Damage[] = [...files.faults, ...closing.faults];
    const { copied, salvaged } = await salvageableFiles(path, files);
    return withScratchCopy(path, copied, async (copy) => {
      for (const [name, contents] of salvaged) await writeFile(join(copy, name), contents);
      // LevelDB finds its way through what is left of its files by itself, when it is asked to.
      if (files.faults.length > 0) await ClassicLevel.repair(copy);
      const source = await Database.open(copy, true);
      try {
        return await makeFolder(into, (partial) => salvage(source, partial, options, damage));
      } finally {
        await source.close();
      }
    });
  });
}

/** Files to be copied, and others to be made of the tables that LevelDB cannot be let at: logs of their entries. */
async function salvageableFiles(path: string, files: FilesReport) {
  const salvaged = new Map<string, Buffer>();
  if (isReadable(files)) return { copied: files.files, salvaged };
  const copied: string[] = [];
  const broken = new Set(files.faults.filter(({ effect }) => effect === 'fails').map(({ file }) => file));
  for (const { name, kind } of await folderFiles(path)) {
    // With a manifest, tables that it does not name are old ones.
    const isNeeded = files.manifest === undefined || files.files.includes(name);
    if (!isNeeded || (kind !== 'log' && kind !== 'table')) continue;
    const contents = kind === 'table' ? await fileContents(path, name) : undefined;
    const isBroken = broken.has(name) || (contents !== undefined && checkTable(contents).some((fault) => fault.broken));
    if (contents !== undefined && isBroken) {
      salvaged.set(name.replace(/\.\w+$/, '.log'), writeLogFormat(salvageTable(contents).map(logRecord)));
    } else copied.push(name);
  }
  return { copied, salvaged };
}

async function salvage(
  source: Database,
  folder: string,
  { marshaler, clock = systemClock, random = systemRandom, signal }: RepairOptions,
  damage: Damage[],
): Promise<RepairReport> {
  const before = await salvagedOpenings(source);
  const position = await highestPosition(source, before);
  const opening = nextOpening(before, position, random);
  const target = await Database.open(folder, true);
  try {
    const tallies = await copyResources(source, target, marshaler, damage, signal);
    await reportMissing(source, tallies, damage);
    const ledger = Ledger.empty(position);
    ledger.apply({ extent: ledger.extent, tallies });
    await target.write((batch) => {
      batch.put(...formatEntry());
      batch.put(...openingEntry(opening, clock));
      putLedger(batch, ledger.allWrites());
    }, true);
    await target.close();
    await writeClosingRecord(folder, position);
    return { resources: ledger.total.resources, damage, position };
  } finally {
    await target.close();
  }
}

async function copyResources(
  source: Database,
  target: Database,
  marshaler: Marshaler,
  damage: Damage[],
  signal: AbortSignal | undefined,
): Promise<Map<string, Tally>> {
  const tallies = new Map<string, Tally>();
  const bad = new Set<string>();
  const reader = new RecordReader(marshaler, ({ pointer, error }, key) => {
    damage.push({ what: error.message, pointer });
    bad.add(key);
  });
  for await (const entries of source.entries(spaceRange('resource'))) {
    signal?.throwIfAborted();
    reader.addAll(entries);
    for (const { metadata } of (await reader.take()).resources) {
      const tally = tallies.get(metadata.namespace) ?? emptyTally;
      tallies.set(
        metadata.namespace,
        tallied(tally, recordDigest(bytesChecksum(resourceKey(metadata)), metadata.version)),
      );
    }
    await target.write((batch) => {
      for (const [key, value] of entries) if (!bad.has(Buffer.from(key).toString('latin1'))) batch.put(key, value);
    }, false);
  }
  return tallies;
}

/** Says where the old store held more than was found, as far as its accounts can be read. */
async function reportMissing(source: Database, tallies: ReadonlyMap<string, Tally>, damage: Damage[]): Promise<void> {
  try {
    const ledger = await readLedger(source);
    for (const namespace of new Set([...ledger.namespaces, ...tallies.keys()])) {
      const found = { tally: tallies.get(namespace) ?? emptyTally, bad: 0 };
      const fault = tallyFault(namespace, ledger.tally(namespace), found, true);
      if (fault !== undefined) damage.push({ what: fault.message });
    }
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    damage.push({ what: error.message });
  }
}

/** Those that can be read, from the newest back to the first that cannot. */
async function salvagedOpenings(source: Database): Promise<readonly Opening[]> {
  const entries = await allEntries(source, spaceRange('opening'));
  for (let from = 0; from < entries.length; from++) {
    try {
      return readOpenings(entries.slice(from), Number.MAX_SAFE_INTEGER);
    } catch (error) {
      if (!isCorrupt(error)) throw error;
    }
  }
  return [];
}

/** No event of the store can have had a higher one. */
async function highestPosition(source: Database, openings: readonly Opening[]): Promise<number> {
  const [lastEvent] = await source.read(spaceRange('event'), { limit: 1, reverse: true });
  const head = await source.get(headKey);
  return Math.max(
    openings.at(-1)?.start ?? 0,
    lastEvent === undefined ? 0 : (keyNumber(lastEvent[0]) ?? 0),
    salvagedPosition(head),
  );
}

function salvagedPosition(head: Uint8Array | undefined): number {
  try {
    return readExtent(head).position;
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return 0;
  }
}
