import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FinalizerSet, finalizers, sameFinalizers } from './finalizers.js';

const names = fc.uniqueArray(fc.string({ maxLength: 2 }));

describe('finalizers', () => {
  it('R5: are an ordered set', () => {
    expect(finalizers(['b', 'a', 'b', ''])).toEqual(['b', 'a', '']);
    expect(finalizers(new Set(['b', 'a']))).toEqual(['b', 'a']);
    expect(finalizers(undefined)).toEqual([]);
  });

  it('R5: a text alone is not taken for its letters', () => {
    expect(() => finalizers('controller')).toThrow(TypeError);
  });

  it('R5: are equal in whatever order', () => {
    fc.assert(
      fc.property(names, names, fc.func(fc.integer()), (a, b, rank) => {
        const shuffled = [...a].sort((x, y) => rank(x) - rank(y));
        expect(sameFinalizers(finalizers(a), finalizers(shuffled))).toBe(true);
        const same = a.length === b.length && a.every((name) => b.includes(name));
        expect(sameFinalizers(finalizers(a), finalizers(b))).toBe(same);
      }),
    );
  });

  it('R8: are copies that cannot be changed, and are given back as they are', () => {
    const source = ['a'];
    const made = finalizers(source);
    source.push('b');
    expect(made).toEqual(['a']);
    expect(() => (made as string[]).push('b')).toThrow(TypeError);
    expect(() => (finalizers(undefined) as string[]).push('b')).toThrow(TypeError);
    expect(finalizers(made)).toBe(made);
    const frozen = Object.freeze(['a', 'a']);
    expect(finalizers(frozen)).toEqual(['a']);
  });

  it('R5: are texts', () => {
    expect(() => finalizers([1 as never])).toThrow(TypeError);
    expect(() => new FinalizerSet([]).add(1 as never)).toThrow(TypeError);
  });
});

describe('FinalizerSet', () => {
  it('R5: adding a finalizer that is there and removing one that is not are no-ops that report false', () => {
    const set = new FinalizerSet(finalizers(['a']));
    expect(set.add('a')).toBe(false);
    expect(set.add('b')).toBe(true);
    expect(set.remove('c')).toBe(false);
    expect([...set]).toEqual(['a', 'b']);
    expect(set.remove('a')).toBe(true);
    expect([...set]).toEqual(['b']);
    expect([set.size, set.has('a'), set.has('b')]).toEqual([1, false, true]);
    set.clear();
    expect(set.size).toBe(0);
  });

  it('R8: does not change what it was made from', () => {
    const made = finalizers(['a']);
    new FinalizerSet(made).add('b');
    expect(made).toEqual(['a']);
  });
});
