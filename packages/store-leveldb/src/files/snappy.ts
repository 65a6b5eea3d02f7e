import { ByteCursor } from './byte-cursor.js';

/**
 * Decompresses a block of the Snappy format (github.com/google/snappy, format_description.txt): literals, and copies of
 * what came before. Throws a `RangeError` for what is none.
 *
 * @param maxBytes what may come out at most, whatever the block claims
 */
export function decompressSnappy(block: Uint8Array, maxBytes: number): Buffer {
  const cursor = new ByteCursor(block);
  const length = cursor.varint();
  if (length > maxBytes) throw new RangeError(`it claims to have ${length} bytes`);
  const out = Buffer.alloc(length);
  let at = 0;
  while (!cursor.done) {
    const tag = cursor.bytes(1)[0] as number;
    const kind = tag & 3;
    if (kind === 0) {
      const literal = cursor.bytes(literalLength(tag >> 2, cursor));
      if (at + literal.length > length) throw new RangeError('it is longer than it claims');
      out.set(literal, at);
      at += literal.length;
      continue;
    }
    const size = kind === 1 ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2);
    const offset =
      kind === 1
        ? ((tag >> 5) << 8) | cursor.bytes(1).readUInt8()
        : cursor.bytes(kind === 2 ? 2 : 4).readUIntLE(0, kind === 2 ? 2 : 4);
    if (offset === 0 || offset > at || at + size > length) throw new RangeError('a copy reaches outside');
    // A copy may overlap with what it makes.
    for (const end = at + size; at < end; at++) out[at] = out[at - offset] as number;
  }
  if (at !== length) throw new RangeError('it is shorter than it claims');
  return out;
}

function literalLength(code: number, cursor: ByteCursor): number {
  return 1 + (code < 60 ? code : cursor.bytes(code - 59).readUIntLE(0, code - 59));
}
