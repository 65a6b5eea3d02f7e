import type { Needs } from './definition.js';
import { object, oneOrMore } from './syntax/collections.js';
import { boolean, count, plainText, word } from './syntax/scalars.js';
import { either, type Located, located, mapped, type Syntax } from './syntax/syntax.js';

const needName = located(plainText('the name of a step'));

const needsFields = object('names of steps, or a map with steps and join', {
  steps: { syntax: oneOrMore('names of steps', needName), required: true, doc: 'The steps that are needed.' },
  join: {
    syntax: located(
      either<'all' | 'any' | number>('all, any or a number', {
        text: word(['all', 'any']),
        number: count('a number from 1', 1),
      }),
    ),
    doc: 'How many of them must succeed: `all`, `any` (one), or so many.',
    default: 'all',
  },
  cancelRest: {
    syntax: located(boolean),
    doc: 'Whether those that are still executed are cancelled once enough have succeeded.',
    default: false,
  },
});

/** What a step needs, as it was read. */
export interface ReadNeeds {
  readonly names: readonly Located<string>[];
  readonly join: Needs['join'];
  readonly cancelRest: boolean;
}

const manyNeeds: Syntax<ReadNeeds> = mapped(oneOrMore('names of steps', needName), (names) => ({
  names,
  join: 'all',
  cancelRest: false,
}));

const joinedNeeds: Syntax<ReadNeeds> = mapped(needsFields, ({ steps, join, cancelRest }) => {
  if (steps === undefined) return undefined;
  const least = join?.value === 'any' ? 1 : (join?.value ?? 'all');
  if (join !== undefined && least !== 'all' && least > steps.length) {
    join.place.problem(
      join.offset,
      `${least} of ${steps.length} steps can never succeed: write ${steps.length === 0 ? 'all' : `${steps.length} at most`}`,
    );
  }
  if (cancelRest?.value === true && least === 'all') {
    cancelRest.place.problem(
      cancelRest.offset,
      'nothing is left to be cancelled when all steps must succeed: write join: any, or a number',
    );
  }
  return { names: steps, join: least, cancelRest: cancelRest?.value ?? false };
});

export const needs: Syntax<ReadNeeds> = either('names of steps, or a map with steps and join', {
  text: manyNeeds,
  list: manyNeeds,
  map: joinedNeeds,
});
