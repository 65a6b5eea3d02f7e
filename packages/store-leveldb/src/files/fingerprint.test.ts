import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fingerprint, fingerprint, hasFingerprints } from './fingerprint.js';

describe('fingerprints', () => {
  it.runIf(hasFingerprints)('are the same in however many pieces the bytes come, and others for other bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 70 }), { minLength: 1 }), fc.nat(), (pieces, n) => {
        const all = Buffer.concat(pieces);
        const found = new Fingerprint();
        for (const piece of pieces) found.add(piece);
        expect(found.end()).toBe(fingerprint(all));
        if (all.length === 0) return;
        const other = Buffer.from(all);
        other[n % all.length] = (other[n % all.length] as number) ^ (1 << (n % 8));
        expect(fingerprint(other)).not.toBe(fingerprint(all));
        expect(fingerprint(all.subarray(0, -1))).not.toBe(fingerprint(all));
        expect(fingerprint(Buffer.concat([all, Buffer.of(0)]))).not.toBe(fingerprint(all));
      }),
    );
  });
});
