import { describe, expect, it } from 'vitest';
import { readLogFormat, writeLogFormat } from './log-format.js';

/** Records of many sizes, some of which reach over the blocks of 32 KiB. */
const records = [10, 0, 300, 32 * 1024, 100_000, 5, 7000].map((size, i) =>
  Buffer.from(Array.from({ length: size }, (_, at) => Math.imul(at + 1, 0x9e3779b1 + i) >>> 24)),
);
const file = writeLogFormat(records);

/** Whether these are the first records: comparing them with `toEqual` takes a hundred times as long. */
function areFirst(read: readonly Buffer[]): boolean {
  return read.every((record, i) => record.equals(records[i] as Buffer));
}

describe('readLogFormat', () => {
  it('reads what was written', () => {
    const { records: read, fault, tornBytes } = readLogFormat(file);
    expect([read.length, areFirst(read), fault, tornBytes]).toEqual([records.length, true, undefined, 0]);
    expect(readLogFormat(Buffer.alloc(0))).toEqual({ records: [], fault: undefined, tornBytes: 0 });
  });

  it('P5: takes a file that is cut off anywhere for one that a crash ended', () => {
    let complete = 0;
    for (let length = file.length; length >= 0; length -= length > file.length - 200 ? 1 : 1487) {
      const { records: read, fault, tornBytes } = readLogFormat(file.subarray(0, length));
      expect(fault).toBeUndefined();
      expect(areFirst(read)).toBe(true);
      expect(tornBytes).toBeLessThanOrEqual(length);
      complete = Math.max(complete, read.length);
    }
    expect(complete).toBe(records.length);
  });

  it('P5: finds a flipped bit anywhere', () => {
    for (let at = 0; at < file.length; at += at < 300 || at > file.length - 300 ? 1 : 733) {
      for (const bit of [0, 3, 7]) {
        const damaged = Buffer.from(file);
        damaged[at] = (damaged[at] as number) ^ (1 << bit);
        expect(readLogFormat(damaged).fault, `at ${at}`).toBeDefined();
      }
    }
  });

  it('P5: takes an end that is there in length only for one that the loss of power left', () => {
    const unwritten = Buffer.from(file);
    unwritten.fill(0, file.length - (file.length % 4096));
    const read = readLogFormat(unwritten);
    expect([read.records.length, areFirst(read.records), read.fault]).toEqual([records.length - 1, true, undefined]);
    const extended = readLogFormat(Buffer.concat([file, Buffer.alloc(9000)]));
    expect([extended.records.length, extended.fault, extended.tornBytes]).toEqual([records.length, undefined, 9000]);
  });

  it('P5: parts that do not follow each other are a fault', () => {
    const blocks = Array.from({ length: Math.ceil(file.length / 32_768) }, (_, i) =>
      file.subarray(i * 32_768, (i + 1) * 32_768),
    );
    const [first, second, ...rest] = blocks;
    const swapped = Buffer.concat([second as Buffer, first as Buffer, ...rest]);
    expect(readLogFormat(swapped).fault?.what).toBe('the parts of a record do not follow each other');
  });
});
