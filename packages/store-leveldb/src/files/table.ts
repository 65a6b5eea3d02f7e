import { type BlockEntry, blockEntries, checkTableKeys, compareTableKeys, salvageEntries } from './block.js';
import { ByteCursor } from './byte-cursor.js';
import { Crc32c, maskedCrc32c } from './crc32c.js';
import type { TableEntry } from './manifest.js';

/** How many bytes at the end of a table say where its index is. */
export const footerBytes = 48;
const handlesBytes = 40;
const magic = 0xdb4775248b80fb57n;

/** After each block: its type (0: not compressed), and a checksum. */
export const trailerBytes = 5;

/** Where a block is. */
export interface BlockHandle {
  readonly offset: number;
  readonly size: number;
}

/** Something wrong with a table. */
export interface TableFault {
  readonly what: string;
  /** Whether LevelDB would come to grief over it. If not, just keys or values are other ones than they were. */
  readonly broken: boolean;
}

/**
 * Checks a table file of LevelDB as a whole: every byte of it is accounted for. LevelDB compares no checksums when it
 * reads tables, and can end the process over a damaged one.
 *
 * @param bounds what the manifest says of the keys in it
 */
export function checkTable(file: Buffer, bounds?: Pick<TableEntry, 'smallest' | 'largest'>): TableFault[] {
  try {
    const { metaindex, filters, index, blocks } = readTable(file);
    let end = 0;
    for (const { offset, size } of [...blocks.map(({ handle }) => handle), ...filters, metaindex, index]) {
      if (offset !== end) throw new RangeError(`there is something unknown at byte ${end}`);
      end = offset + size + trailerBytes;
    }
    if (end !== file.length - footerBytes) throw new RangeError(`there is something unknown at byte ${end}`);
    return blocks.flatMap((block, i) => {
      const isLast = i === blocks.length - 1;
      const upTo = isLast && bounds !== undefined ? bounds.largest : block.last;
      return faultOfBlock(file, block.handle, blocks[i - 1]?.last, bounds?.smallest, upTo) ?? [];
    });
  } catch (error) {
    return [{ what: reasonOf(error), broken: true }];
  }
}

/** The entries of a table that can still be read. */
export function salvageTable(file: Buffer): BlockEntry[] {
  return salvageBlocks(file).flatMap((block) => {
    try {
      return salvageEntries(block);
    } catch (error) {
      reasonOf(error);
      return [];
    }
  });
}

/** The blocks that the index names, or those that are found without it. */
function salvageBlocks(file: Buffer): Buffer[] {
  try {
    return readTable(file).blocks.map(({ handle: { offset, size } }) => file.subarray(offset, offset + size));
  } catch (error) {
    reasonOf(error);
    return foundBlocks(file);
  }
}

/** The blocks up to the first damaged one, or to the end of the entries: each ends where a checksum fits. */
function foundBlocks(file: Buffer): Buffer[] {
  const blocks: Buffer[] = [];
  let start = 0;
  let sum = new Crc32c();
  for (let end = 0; end + trailerBytes <= file.length; end++) {
    sum.add(file[end] as number);
    if (sum.masked !== file.readUInt32LE(end + 1)) continue;
    const block = file.subarray(start, end);
    if (!holdsTableEntries(block)) break;
    blocks.push(block);
    end += trailerBytes - 1;
    start = end + 1;
    sum = new Crc32c();
  }
  return blocks;
}

function holdsTableEntries(block: Buffer): boolean {
  try {
    const entries = blockEntries(block);
    const last = entries.at(-1);
    if (last !== undefined) checkTableKeys(entries, undefined, last.key);
    return last !== undefined;
  } catch (error) {
    reasonOf(error);
    return false;
  }
}

/** The text of an error that says what is wrong with bytes. */
function reasonOf(error: unknown): string {
  if (!(error instanceof RangeError)) throw error;
  return error.message;
}

interface DataBlock {
  readonly handle: BlockHandle;
  /** No key in the block is greater, and all in the next one are. */
  readonly last: Buffer;
}

function readTable(file: Buffer) {
  if (file.length < footerBytes) throw new RangeError('it is too short');
  const { metaindex, index } = readFooter(file.subarray(-footerBytes));
  const filters = blockEntries(checkedBlock(file, metaindex)).map(({ value }) => readHandle(new ByteCursor(value)));
  for (const filter of filters) checkedBlock(file, filter);
  return { metaindex, filters, index, blocks: readIndex(checkedBlock(file, index)) };
}

/** Reads the end of a table. */
export function readFooter(footer: Buffer): { readonly metaindex: BlockHandle; readonly index: BlockHandle } {
  if (footer.readBigUInt64LE(handlesBytes) !== magic) throw new RangeError('its end is not that of a table');
  const cursor = new ByteCursor(footer.subarray(0, handlesBytes));
  const metaindex = readHandle(cursor);
  const index = readHandle(cursor);
  if (footer.subarray(cursor.at, handlesBytes).some((byte) => byte !== 0)) throw new RangeError('its end is damaged');
  return { metaindex, index };
}

/** Reads the contents of an index. */
export function readIndex(index: Buffer): DataBlock[] {
  return blockEntries(index).map(({ key, value }) => ({ handle: readHandle(new ByteCursor(value)), last: key }));
}

/** Reads what says where a block is. */
export function readHandle(cursor: ByteCursor): BlockHandle {
  return { offset: cursor.varint(), size: cursor.varint() };
}

function faultOfBlock(
  file: Buffer,
  handle: BlockHandle,
  after: Buffer | undefined,
  from: Buffer | undefined,
  upTo: Buffer,
): TableFault | undefined {
  const { offset, size } = handle;
  try {
    checkedBlock(file, handle);
    return undefined;
  } catch (error) {
    const what = reasonOf(error);
    try {
      if (file[offset + size] !== 0) throw new RangeError('the type of a block is damaged');
      const entries = blockEntries(file.subarray(offset, offset + size));
      checkTableKeys(entries, after, upTo);
      const first = entries[0]?.key;
      if (first !== undefined && from !== undefined && compareTableKeys(first, from) < 0) {
        throw new RangeError('the keys in a block are out of order');
      }
      return { what, broken: false };
    } catch (inside) {
      return { what: `${what}, and ${reasonOf(inside)}`, broken: true };
    }
  }
}

/** The contents of a block, when its checksum fits. */
export function checkedBlock(file: Buffer, { offset, size }: BlockHandle): Buffer {
  const end = offset + size;
  if (!(end + trailerBytes <= file.length)) throw new RangeError('a block lies outside of it');
  if (maskedCrc32c(file.subarray(offset, end + 1)) !== file.readUInt32LE(end + 1)) {
    throw new RangeError(`the checksum of the block at byte ${offset} does not fit`);
  }
  if (file[end] !== 0) throw new RangeError(`the block at byte ${offset} is compressed, which this store does not do`);
  return file.subarray(offset, end);
}
