import { closeSync, openSync, readSync, readv } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compareBytes } from './block-cursor.js';
import {
  type BlockHandle,
  checkedBlock,
  type DataBlock,
  footerBytes,
  readFooter,
  readIndex,
  trailerBytes,
} from './table.js';

/** Keys from one, up to but without another, in the order of their bytes. */
export interface TableRange {
  readonly start: Uint8Array;
  readonly end: Uint8Array;
}

/** A table in use. */
export interface NamedTable {
  readonly name: string;
  readonly bytes: number;
}

/** Some blocks of a table, in memory that nobody writes to any more. */
export interface TablePiece {
  readonly bytes: Buffer;
  /** Where in these bytes. */
  readonly blocks: readonly BlockHandle[];
}

/** How large pieces are: what is left of their values keeps all of a piece. Larger blocks have one to themselves. */
const pieceBytes = 64 * 1024;

/** How many pieces are read at once. */
const readPieces = 16;

/** After the key in an index. */
const keyTrailerBytes = 8;

/**
 * Reads the blocks of tables, one table after the other, in which keys of a range can be: some more than that at both ends.
 * Each step is one read of the disk. Throws a `RangeError` for what is no table, or one with compressed blocks.
 */
export async function* tablePieces(
  folder: string,
  tables: readonly NamedTable[],
  range: TableRange,
): AsyncGenerator<readonly TablePiece[]> {
  for (const { name, bytes } of tables) {
    // The file was read lately, when it was checked, and to wait for each of these steps would take longer than they do.
    const file = openSync(join(folder, name), 'r');
    try {
      const blocks = blocksOf(indexOf(file, bytes), range);
      for (let at = 0; at < blocks.length; ) {
        const { plans, next } = planned(blocks, at);
        yield await readPlanned(file, plans);
        at = next;
      }
    } finally {
      closeSync(file);
    }
  }
}

function indexOf(file: number, bytes: number): DataBlock[] {
  const { index } = readFooter(readAt(file, bytes - footerBytes, footerBytes));
  const size = index.size + trailerBytes;
  if (index.offset + size > bytes) throw new RangeError('the index lies outside of it');
  return readIndex(checkedBlock(readAt(file, index.offset, size), { offset: 0, size: index.size }));
}

/** The blocks in which keys of the range can be. */
function blocksOf(blocks: readonly DataBlock[], { start, end }: TableRange): BlockHandle[] {
  const isBefore = (last: Buffer, key: Uint8Array) =>
    compareBytes(last, last.length - keyTrailerBytes, key, key.length) < 0;
  const first = blocks.findIndex(({ last }) => !isBefore(last, start));
  if (first === -1) return [];
  const beyond = blocks.findIndex(({ last }) => !isBefore(last, end));
  return blocks.slice(first, beyond === -1 ? blocks.length : beyond + 1).map(({ handle }) => handle);
}

/** A piece to be read. */
interface Plan {
  readonly offset: number;
  readonly bytes: number;
  readonly blocks: readonly BlockHandle[];
}

/** Neighbouring pieces from a block on, and the number of the block after them. */
function planned(blocks: readonly BlockHandle[], from: number): { readonly plans: readonly Plan[]; next: number } {
  const plans: Plan[] = [];
  let next = from;
  while (plans.length < readPieces && next < blocks.length) {
    const { offset } = blocks[next] as BlockHandle;
    const last = plans.at(-1);
    if (last !== undefined && last.offset + last.bytes !== offset) break;
    const inPiece: BlockHandle[] = [];
    let bytes = 0;
    for (let block = blocks[next]; block !== undefined && block.offset === offset + bytes; block = blocks[next]) {
      const size = block.size + trailerBytes;
      if (bytes > 0 && bytes + size > pieceBytes) break;
      inPiece.push({ offset: bytes, size: block.size });
      bytes += size;
      next++;
    }
    plans.push({ offset, bytes, blocks: inPiece });
  }
  return { plans, next };
}

const readInto = promisify(readv);

async function readPlanned(file: number, plans: readonly Plan[]): Promise<TablePiece[]> {
  // Not of the pool that Node shares among small buffers: pieces are kept for long.
  const buffers = plans.map(({ bytes }) => Buffer.allocUnsafeSlow(bytes));
  const wanted = plans.reduce((sum, { bytes }) => sum + bytes, 0);
  const { bytesRead } = await readInto(file, buffers, plans[0]?.offset ?? 0);
  if (bytesRead !== wanted) throw new RangeError('it ends too early');
  return plans.map(({ blocks }, i) => {
    const bytes = buffers[i] as Buffer;
    if (blocks.some(({ offset, size }) => bytes[offset + size] !== 0)) throw new RangeError('a block is compressed');
    return { bytes, blocks };
  });
}

function readAt(file: number, position: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  if (readSync(file, buffer, 0, bytes, position) !== bytes) throw new RangeError('it ends too early');
  return buffer;
}
