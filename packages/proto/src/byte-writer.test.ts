import { BinaryWriter } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from './byte-writer.js';
import { Slabs } from './slabs.js';

/** Something to write; a list is a nested message. */
type Part = string | number | Uint8Array | readonly Part[];

const { part } = fc.letrec<{ part: Part }>((tie) => ({
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc.string({ unit: 'grapheme-ascii', maxLength: 100 }),
    fc.maxSafeInteger(),
    fc.uint8Array({ maxLength: 5000 }),
    fc.array(tie('part'), { maxLength: 6 }),
  ),
}));

function write(writer: ByteWriter, value: Part): void {
  if (typeof value === 'string') writer.uint32(10).string(value);
  else if (typeof value === 'number') writer.uint32(16).int64(value);
  else if (value instanceof Uint8Array) writer.uint32(26).bytes(value);
  else {
    const begin = writer.uint32(0xffff_fffa).begin();
    for (const each of value) write(writer, each);
    writer.end(begin);
  }
}

/** The same, by the protobuf library. */
function writeByLibrary(writer: BinaryWriter, value: Part): void {
  if (typeof value === 'string') writer.uint32(10).string(value);
  else if (typeof value === 'number') writer.uint32(16).int64(value);
  else if (value instanceof Uint8Array) writer.uint32(26).bytes(value);
  else {
    writer.uint32(0xffff_fffa).fork();
    for (const each of value) writeByLibrary(writer, each);
    writer.join();
  }
}

describe('ByteWriter', () => {
  const writer = new ByteWriter();
  const slabs = new Slabs(1024);

  it('writes what the protobuf library writes', () => {
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const library = new BinaryWriter();
        for (const each of parts) {
          write(writer, each);
          writeByLibrary(library, each);
        }
        expect(writer.finish(slabs)).toEqual(library.finish());
      }),
    );
  });

  it('gives bytes that later messages leave alone', () => {
    const first = writer.string('first').finish(slabs);
    const before = first.slice();
    for (let i = 0; i < 5000; i++) writer.string(`later ${i}`).finish(slabs);
    expect(first).toEqual(before);
  });

  it('tells whether all text was short and ASCII', () => {
    expect(writer.string('a\x7f').plain).toBe(true);
    expect(writer.string('\x80').plain).toBe(false);
    writer.clear();
    expect(writer.plain).toBe(true);
    expect(writer.string('a'.repeat(1000)).plain).toBe(false);
    writer.finish(slabs);
    expect(writer.plain).toBe(true);
  });

  it('forgets what was begun', () => {
    writer.string('lost').begin();
    writer.clear();
    expect(writer.string('x').finish(slabs)).toEqual(Uint8Array.of(1, 120));
  });
});
