import { ByteCursor } from './byte-cursor.js';
import { maskedCrc32c } from './crc32c.js';
import { decompressSnappy } from './snappy.js';

const footerBytes = 48;
const handleBytes = 40;
const trailerBytes = 5;
const magic = 0xdb4775248b80fb57n;

/** A compressed index is never much smaller than what it was. */
const maxIndexBytes = 256 * 1024 * 1024;

interface BlockHandle {
  readonly offset: number;
  readonly size: number;
}

/** Gives bytes of the file: all of those asked for, or fewer at its end. */
export type FileReader = (offset: number, size: number) => Buffer | Promise<Buffer>;

/**
 * Checks a table file of LevelDB: its footer, and the checksums of the blocks that lead to others. LevelDB reads them
 * without comparing, and a wrong one can end the process. With `deep`, all blocks are checked, and that there is nothing
 * between them, so that every byte of the file is accounted for.
 *
 * Throws a `RangeError` that says what is wrong.
 */
export async function checkTable(read: FileReader, fileBytes: number, deep: boolean): Promise<void> {
  const blockAt = async ({ offset, size }: BlockHandle, what: string): Promise<Buffer> => {
    if (!(offset + size + trailerBytes <= fileBytes)) throw new RangeError(`${what} lies outside of it`);
    const block = await read(offset, size + trailerBytes);
    if (block.length !== size + trailerBytes) throw new RangeError('it is shorter than it was');
    if (maskedCrc32c(block.subarray(0, size + 1)) !== block.readUInt32LE(size + 1)) {
      throw new RangeError(`the checksum of ${what} at byte ${offset} does not fit`);
    }
    return block;
  };
  const footer = await read(fileBytes - footerBytes, footerBytes);
  const { metaindex, index } = readFooter(footer);
  const filters = blockHandles(await blockAt(metaindex, 'its metaindex'));
  for (const filter of filters) await blockAt(filter, 'a filter');
  const blocks = blockHandles(await blockAt(index, 'its index'));
  if (!deep) return;
  for (const block of blocks) await blockAt(block, 'a block');
  let end = 0;
  for (const { offset, size } of [...blocks, ...filters, metaindex, index]) {
    if (offset !== end) throw new RangeError(`there is something unknown at byte ${end}`);
    end = offset + size + trailerBytes;
  }
  if (end !== fileBytes - footerBytes) throw new RangeError(`there is something unknown at byte ${end}`);
}

function readFooter(footer: Buffer) {
  if (footer.length < footerBytes) throw new RangeError('it is too short');
  if (footer.readBigUInt64LE(handleBytes) !== magic) throw new RangeError('its end is not that of a table');
  const cursor = new ByteCursor(footer.subarray(0, handleBytes));
  const metaindex = handle(cursor);
  const index = handle(cursor);
  if (footer.subarray(cursor.at, handleBytes).some((byte) => byte !== 0)) throw new RangeError('its footer is damaged');
  return { metaindex, index };
}

function handle(cursor: ByteCursor): BlockHandle {
  return { offset: cursor.varint(), size: cursor.varint() };
}

/** The handles that the entries of a block hold as their values. */
function blockHandles(block: Buffer): BlockHandle[] {
  const size = block.length - trailerBytes;
  const contents = block.subarray(0, size);
  const values = blockValues(block[size] === 0 ? contents : decompressSnappy(contents, maxIndexBytes));
  return values.map((value) => handle(new ByteCursor(value)));
}

/** The values of a block's entries. The keys are kept as what they have in common with the one before and what they don't. */
function blockValues(block: Buffer): Buffer[] {
  const restarts = block.readUInt32LE(block.length - 4);
  const cursor = new ByteCursor(block.subarray(0, Math.max(0, block.length - 4 - 4 * restarts)));
  const values: Buffer[] = [];
  while (!cursor.done) {
    cursor.varint();
    const keyBytes = cursor.varint();
    const valueBytes = cursor.varint();
    cursor.bytes(keyBytes);
    values.push(cursor.bytes(valueBytes));
  }
  return values;
}
