import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Crc32c, crc32c, maskedCrc32c } from './crc32c.js';

describe('crc32c', () => {
  it('gives the checksums of RFC 3720, B.4', () => {
    expect(crc32c(Buffer.alloc(32))).toBe(0x8a9136aa);
    expect(crc32c(Buffer.alloc(32, 0xff))).toBe(0x62a8ab43);
    expect(crc32c(Buffer.from(Array.from({ length: 32 }, (_, i) => i)))).toBe(0x46dd794e);
    expect(crc32c(Buffer.from(Array.from({ length: 32 }, (_, i) => 31 - i)))).toBe(0x113fdb5c);
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  });

  it('is the same byte by byte', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const sum = new Crc32c();
        for (const byte of bytes) sum.add(byte);
        expect(sum.masked).toBe(maskedCrc32c(bytes));
      }),
    );
  });
});
