import { closeSync, openSync, readSync, readv } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BlockCursor, compareBytes } from './block-cursor.js';
import { ByteCursor } from './byte-cursor.js';
import { type BlockHandle, checkedBlock, footerBytes, readFooter, readHandle, trailerBytes } from './table.js';

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

/** How much is read at once, or one piece more. */
const readBytes = 15 * pieceBytes;

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
      const blocks = blocksIn(file, bytes, range);
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

/** The blocks in which keys of the range can be. */
function blocksIn(file: number, bytes: number, { start, end }: TableRange): BlockHandle[] {
  const { index } = readFooter(readAt(file, bytes - footerBytes, footerBytes));
  const size = index.size + trailerBytes;
  if (index.offset + size > bytes) throw new RangeError('the index lies outside of it');
  const contents = checkedBlock(readAt(file, index.offset, size), { offset: 0, size: index.size });
  const blocks: BlockHandle[] = [];
  const cursor = new BlockCursor();
  cursor.begin(contents, 0, contents.length);
  // No key in a block is greater than that in the index, and all in the next one are. A block with nothing but older entries
  // of the key before is passed over.
  while (cursor.next()) {
    if (compareBytes(cursor.key, cursor.keyLength, start, start.length) < 0) continue;
    blocks.push(readHandle(new ByteCursor(contents.subarray(cursor.valueStart, cursor.valueEnd))));
    if (compareBytes(cursor.key, cursor.keyLength, end, end.length) >= 0) break;
  }
  return blocks;
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
  for (let sum = 0; sum < readBytes && next < blocks.length; ) {
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
    sum += bytes;
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
