import { describe, expect, it } from 'vitest';
import { differences, expectedContents } from './expected.js';
import { ColorNames, Evens, Products, Sparse, Sums } from './kinds.js';

const world = {
  parts: new Map([
    ['p2', { value: 6, color: 'red', group: 'g0' }],
    ['p3', { value: 10, color: 'red', group: 'g1' }],
  ]),
  factors: new Map([['g0', 7]]),
};

describe('what there must be in the end', () => {
  const expected = expectedContents(world);

  it('follows from parts and factors', () => {
    expect(expected.get(Products.type)).toEqual(
      new Map([
        ['p2', 42],
        ['p3', 0],
      ]),
    );
    expect(expected.get(Evens.type)).toEqual(new Map([['even-p2', 6]]));
    expect(expected.get(Sparse.type)).toEqual(new Map([['p3', 10]]));
    expect(expected.get(Sums.type)).toEqual(new Map([['all', 16]]));
    expect(expected.get(ColorNames.type)).toEqual(new Map([['red', 'red 16']]));
  });

  it('is compared with what is there', () => {
    expect(differences(expected, expected)).toEqual([]);
    const found = new Map(expected);
    found.set(
      Evens.type,
      new Map([
        ['even-p2', 5],
        ['even-p4', 1],
      ]),
    );
    found.delete(Sums.type);
    expect(differences(expected, found)).toEqual([
      `${Evens.type} even-p2: 5 instead of 6`,
      `${Evens.type} even-p4: should be gone`,
      `${Sums.type} all: nothing instead of 16`,
    ]);
  });
});
