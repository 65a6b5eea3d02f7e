import { ByteCursor } from './byte-cursor.js';

/** An entry of a block of a table. */
export interface BlockEntry {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** What LevelDB adds to the keys in tables: 56 bits of sequence number, and the type of the entry. */
const trailerBytes = 8;

/**
 * Reads the entries of a block, or throws a `RangeError` that says why it is none: what each key has in common with the
 * one before is left out, and at the end are the offsets of entries for which nothing is.
 */
export function blockEntries(block: Buffer): BlockEntry[] {
  const { restarts, end } = restartsOf(block);
  const expected = new Set(restarts);
  const entries: BlockEntry[] = [];
  const cursor = new ByteCursor(block.subarray(0, end));
  let previous: Buffer = Buffer.alloc(0);
  while (!cursor.done) {
    const offset = cursor.at;
    const { shared, entry } = readEntry(cursor, previous);
    if (expected.delete(offset) && shared > 0) throw new RangeError('the offsets in a block are damaged');
    previous = entry.key;
    entries.push(entry);
  }
  // The one offset of a block without entries is 0.
  if (expected.size > (entries.length === 0 ? 1 : 0)) throw new RangeError('the offsets in a block are damaged');
  return entries;
}

/**
 * The entries of a damaged block of a table that can be read. They are read anew from each offset, so that not all are
 * lost that follow the damage.
 */
export function salvageEntries(block: Buffer): BlockEntry[] {
  const { restarts, end } = restartsOf(block);
  const entries: BlockEntry[] = [];
  for (const [i, begin] of restarts.entries()) {
    const cursor = new ByteCursor(block.subarray(begin, restarts[i + 1] ?? end));
    try {
      for (let previous: Buffer = Buffer.alloc(0); !cursor.done; ) {
        const { entry } = readEntry(cursor, previous);
        checkTableKeys([entry], entries.at(-1)?.key, entry.key);
        previous = entry.key;
        entries.push(entry);
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return entries;
}

/** The offsets of entries for which nothing is left out, and where the entries end. */
function restartsOf(block: Buffer): { readonly restarts: readonly number[]; readonly end: number } {
  if (block.length < 4) throw new RangeError('a block is too short');
  const count = block.readUInt32LE(block.length - 4);
  const end = block.length - 4 - 4 * count;
  if (count === 0 || end < 0) throw new RangeError('the end of a block is damaged');
  return { restarts: Array.from({ length: count }, (_, i) => block.readUInt32LE(end + 4 * i)), end };
}

function readEntry(cursor: ByteCursor, previous: Buffer): { readonly shared: number; readonly entry: BlockEntry } {
  const shared = cursor.varint();
  const rest = cursor.varint();
  const valueBytes = cursor.varint();
  if (shared > previous.length) throw new RangeError('a key in a block has too much in common with the one before');
  const key = Buffer.concat([previous.subarray(0, shared), cursor.bytes(rest)]);
  return { shared, entry: { key, value: cursor.bytes(valueBytes) } };
}

/**
 * Throws a `RangeError` when the keys of a block are not keys of a table, or not in their order, between those of the
 * blocks around it. LevelDB takes that for granted, and ends the process where it is not so.
 */
export function checkTableKeys(entries: readonly BlockEntry[], after: Buffer | undefined, upTo: Buffer): void {
  let previous = after;
  for (const { key } of entries) {
    if (key.length < trailerBytes || (key[key.length - trailerBytes] as number) > 1) {
      throw new RangeError('a key in a block is damaged');
    }
    if (previous !== undefined && compareTableKeys(previous, key) >= 0) {
      throw new RangeError('the keys in a block are out of order');
    }
    previous = key;
  }
  if (previous !== undefined && compareTableKeys(previous, upTo) > 0) {
    throw new RangeError('the keys in a block are out of order');
  }
}

/** Keys in the order of their bytes; of one key the newest entry first. */
export function compareTableKeys(a: Buffer, b: Buffer): number {
  const [keyA, keyB] = [a, b].map((key) => key.subarray(0, key.length - trailerBytes)) as [Buffer, Buffer];
  const order = Buffer.compare(keyA, keyB);
  if (order !== 0) return order;
  const [newestA, newestB] = [a, b].map((key) => key.readBigUInt64LE(key.length - trailerBytes)) as [bigint, bigint];
  return newestA === newestB ? 0 : newestA > newestB ? -1 : 1;
}
