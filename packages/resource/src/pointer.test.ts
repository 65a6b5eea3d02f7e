import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Kind, type Pointer, pointerKey, pointerText, sameKind, samePointer } from './pointer.js';

const part = fc.string({ unit: fc.constantFrom('a', ':', '/', '1', '@', ''), maxLength: 4 });
const pointers = fc.record({ namespace: part, type: part, id: part });

describe('pointers', () => {
  it('have a key of their own, and so have kinds', () => {
    fc.assert(
      fc.property(pointers, pointers, (a, b) => {
        expect(pointerKey(a) === pointerKey(b)).toBe(samePointer(a, b));
        const [x, y]: Kind[] = [a, b].map(({ namespace, type }) => ({ namespace, type }));
        expect(pointerKey(x as Kind) === pointerKey(y as Kind)).toBe(sameKind(a, b));
        expect(pointerKey(x as Kind)).not.toBe(pointerKey(b));
      }),
    );
  });

  it('are named in messages', () => {
    const pointer: Pointer = { namespace: 'vms', type: 'VMConfigs', id: 'web/1' };
    expect(pointerText(pointer)).toBe('VMConfigs(vms/web/1)');
    expect(pointerText({ namespace: 'vms', type: 'VMConfigs' })).toBe('VMConfigs(vms)');
  });
});
