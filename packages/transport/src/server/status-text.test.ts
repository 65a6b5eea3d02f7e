import { NotFoundError } from '@cosi-ts/resource';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxStatusBytes, statusText } from './status-text.js';

const bytes = (text: string) => new TextEncoder().encode(text).length;

describe('statusText', () => {
  it('N7: no text is longer than 2 KiB or holds half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 5000 }), fc.nat(3), (text, repeat) => {
        const cut = statusText(text.repeat(repeat + 1));
        expect(bytes(cut)).toBeLessThanOrEqual(maxStatusBytes);
        expect(/\p{Surrogate}/u.test(cut)).toBe(false);
      }),
    );
    expect(bytes(statusText('ü'.repeat(2000)))).toBeGreaterThan(maxStatusBytes - 4);
  });

  it('N7: a text that fits stays as it is', () => {
    expect(statusText('ü'.repeat(1024))).toBe('ü'.repeat(1024));
    expect(statusText(`a${'\ud800'}b`)).toBe('a\ufffdb');
  });

  it('N7: long names are shortened before anything is cut off', () => {
    const pointer = { namespace: 'n', type: `T${'y'.repeat(1000)}`, id: `"${'🙂'.repeat(300)}` };
    const error = new NotFoundError(pointer);
    const text = statusText(`${error.message}: ${JSON.stringify(pointer.id)}`, pointer);
    expect(text).toMatch(/^resource Ty{63}…\(n\/"(🙂)+…\) doesn't exist: "\\"(🙂)+…"$/u);
    expect(bytes(text)).toBeLessThan(500);
  });
});
