import type { BlockEntry } from './block.js';
import { maskedCrc32c } from './crc32c.js';

const blockBytes = 32 * 1024;
const headerBytes = 7;
const pageBytes = 4096;

/** What a part of a record is: a whole one, the first, a middle or the last part. */
const partTypes = { full: 1, first: 2, middle: 3, last: 4 } as const;

/** What is in a file of LevelDB's log format: its write-ahead logs, and its manifest. */
export interface LogContents {
  /** The records up to the first fault. */
  readonly records: readonly Buffer[];
  /** What is wrong, and where; undefined when nothing is. */
  readonly fault: { readonly offset: number; readonly what: string } | undefined;
  /** How many bytes at the end belong to a record that was never finished, as a crash leaves it. */
  readonly tornBytes: number;
}

/**
 * Reads a file of LevelDB's log format: blocks of 32 KiB, in them parts of records, each with checksum (4 bytes), length
 * (2) and type (1) in front.
 *
 * LevelDB passes over what does not fit, and over whatever follows it in its block. Here everything must fit, but for the
 * end of the file: a crash can leave a record there that is cut off, or, after the loss of power, filled up with zeros.
 * A record that is only damaged looks different, and is a fault.
 */
export function readLogFormat(file: Buffer): LogContents {
  const records: Buffer[] = [];
  let parts: Buffer[] = [];
  let begin = 0;
  let at = 0;
  const fault = (what: string): LogContents => ({ records, fault: { offset: at, what }, tornBytes: 0 });
  const torn = (from: number): LogContents => ({ records, fault: undefined, tornBytes: file.length - from });
  while (at < file.length) {
    const inBlock = blockBytes - (at % blockBytes);
    const available = Math.min(inBlock, file.length - at);
    if (inBlock < headerBytes) {
      if (!isZero(file.subarray(at, at + available))) return fault('there should be zeros at the end of a block');
      at += available;
      continue;
    }
    const rest = file.subarray(at);
    if (rest.length < headerBytes || isZero(rest)) return torn(parts.length > 0 ? begin : at);
    const end = at + headerBytes + file.readUInt16LE(at + 4);
    const what = faultOfPart(rest, end - at, inBlock);
    if (what === 'cut off' || (what !== undefined && endsInUnwrittenPages(file, at))) {
      return torn(parts.length > 0 ? begin : at);
    }
    if (what !== undefined) return fault(what);
    const type = file[at + 6] as number;
    const starts = type === partTypes.full || type === partTypes.first;
    const known = starts || type === partTypes.middle || type === partTypes.last;
    if (!known || starts === parts.length > 0) return fault('the parts of a record do not follow each other');
    if (starts) begin = at;
    parts.push(file.subarray(at + headerBytes, end));
    if (type === partTypes.full || type === partTypes.last) {
      records.push(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts));
      parts = [];
    }
    at = end;
  }
  return parts.length > 0 ? torn(begin) : { records, fault: undefined, tornBytes: 0 };
}

/** What is wrong with the part of a record that these bytes begin with. */
function faultOfPart(bytes: Buffer, length: number, inBlock: number): string | undefined {
  if (length > inBlock) return 'a part of a record is longer than its block';
  if (length > bytes.length) return holdsPart(bytes) ? 'the length of a record is damaged' : 'cut off';
  return fits(bytes.subarray(0, length)) ? undefined : 'the checksum of a record does not fit';
}

/** The record of a write-ahead log that makes an entry of a table again. */
export function logRecord({ key, value }: BlockEntry): Buffer {
  const trailer = key.readBigUInt64LE(key.length - 8);
  const userKey = key.subarray(0, -8);
  const header = Buffer.alloc(12);
  header.writeBigUInt64LE(trailer >> 8n);
  header.writeUInt32LE(1, 8);
  const isDeletion = (trailer & 0xffn) === 0n;
  const strings = isDeletion ? [userKey] : [userKey, value];
  return Buffer.concat([
    header,
    Buffer.of(isDeletion ? 0 : 1),
    ...strings.flatMap((string) => [varint(string.length), string]),
  ]);
}

function varint(number: number): Buffer {
  const bytes: number[] = [];
  let rest = number;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.of(...bytes, rest);
}

/** A file of the log format with these records. */
export function writeLogFormat(records: Iterable<Buffer>): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  const append = (piece: Buffer) => {
    pieces.push(piece);
    at += piece.length;
  };
  for (const record of records) {
    for (let from = 0, first = true; first || from < record.length; first = false) {
      const inBlock = blockBytes - (at % blockBytes);
      if (inBlock < headerBytes) append(Buffer.alloc(inBlock));
      const part = record.subarray(from, from + blockBytes - (at % blockBytes) - headerBytes);
      from += part.length;
      const last = from === record.length;
      const header = Buffer.alloc(headerBytes);
      header.writeUInt16LE(part.length, 4);
      header[6] = first ? (last ? partTypes.full : partTypes.first) : last ? partTypes.last : partTypes.middle;
      header.writeUInt32LE(maskedCrc32c(Buffer.concat([header.subarray(6), part])), 0);
      append(header);
      append(part);
    }
  }
  return Buffer.concat(pieces);
}

function fits(part: Buffer): boolean {
  return maskedCrc32c(part.subarray(6)) === part.readUInt32LE(0);
}

/**
 * Whether a part of a record can be found in bytes whose own header claims more than there are: then that claim is wrong.
 * Either the part is all that is there, or others come after it.
 */
function holdsPart(bytes: Buffer): boolean {
  if (fits(bytes)) return true;
  for (let at = 1; at + headerBytes <= bytes.length; at++) {
    const type = bytes[at + 6] as number;
    const end = at + headerBytes + bytes.readUInt16LE(at + 4);
    const possible = type >= partTypes.full && type <= partTypes.last && end <= bytes.length;
    if (possible && fits(bytes.subarray(at, end))) return true;
  }
  return false;
}

/** Whether the file is there in length only from the beginning of some later page on: those were never written. */
function endsInUnwrittenPages(file: Buffer, from: number): boolean {
  const lastPage = file.length - 1 - ((file.length - 1) % pageBytes);
  return lastPage > from && isZero(file.subarray(lastPage));
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
