import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInvalidArgument } from './error-guards.js';
import { checkVersion, formatVersion, maxVersion, parseVersion, type Version } from './version.js';

function refused(make: () => unknown): boolean {
  try {
    make();
    return false;
  } catch (error) {
    return isInvalidArgument(error);
  }
}

describe('versions', () => {
  it('R2: every version survives its text', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: maxVersion }), (version) => {
        expect(parseVersion(formatVersion(version))).toBe(version);
      }),
    );
    expect(formatVersion(undefined)).toBe('undefined');
    expect(parseVersion('undefined')).toBeUndefined();
    expect(parseVersion('9007199254740993')).toBe(9_007_199_254_740_993n);
    expect(parseVersion('9223372036854775807')).toBe(2n ** 63n - 1n);
  });

  it.each(['', '-1', '+7', '007', '1.0', '1e3', '0x10', ' 1', '1 ', '9223372036854775808', 'null', 'Undefined', '1\n'])(
    'R2: %j is no version',
    (text) => {
      expect(refused(() => parseVersion(text))).toBe(true);
    },
  );

  it('R2: an error about a text is short, however long the text', () => {
    expect(() => parseVersion('9'.repeat(1_000_000))).toThrow(/^version "9{64}" is neither .{1,80}$/);
  });

  it('R2: only bigints in range are versions', () => {
    expect(checkVersion(undefined)).toBeUndefined();
    expect(checkVersion(0n)).toBe(0n);
    for (const version of [-1n, maxVersion + 1n, 1, '1', null]) {
      expect(refused(() => checkVersion(version as Version))).toBe(true);
    }
  });
});
