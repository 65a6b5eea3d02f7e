import { defineResource } from '@cosi-ts/resource';

const namespace = 'storm';
const numbers = (type: string) => defineResource<{ value: number }>({ type: `${type}.storm.cosi.dev`, namespace });
const texts = (type: string) => defineResource<{ text: string }>({ type: `${type}.storm.cosi.dev`, namespace });

/** What writers write, beside factors. Labels: its color, and its group. */
export const Parts = numbers('Parts');
/** One for each group of parts; they never go. */
export const Factors = numbers('Factors');

export const Squares = numbers('Squares');
export const Products = numbers('Products');
export const Evens = numbers('Evens');
export const Shares = numbers('Shares');
export const Thirds = numbers('Thirds');
export const Reds = numbers('Reds');
export const Texts = texts('Texts');
export const Echoes = texts('Echoes');
export const Sums = numbers('Sums');
export const ColorSums = numbers('ColorSums');
export const GroupSums = numbers('GroupSums');
export const Grands = numbers('Grands');
export const Copies = numbers('Copies');
export const ColorNames = texts('ColorNames');
export const Crumbs = numbers('Crumbs');
export const Steps = numbers('Steps');
export const Sparse = numbers('Sparse');
export const Flaky = numbers('Flakies');

export const colors = ['red', 'green', 'blue', 'gray', 'gold'] as const;
export const groups = ['g0', 'g1', 'g2', 'g3', 'g4', 'g5', 'g6', 'g7'] as const;

/** What a part is: what its writer last made of it. */
export interface Part {
  readonly value: number;
  readonly color: string;
  readonly group: string;
}
