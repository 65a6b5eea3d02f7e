import { type LabelQuery, type LabelQueryInput, type LabelTerm, labelQueries } from './label-query.js';
import { compareNumeric, readNumeric } from './numeric.js';
import { compareUtf8, type StringMap } from './string-map.js';

/** Tells whether labels match. */
export type LabelMatcher = (labels: StringMap) => boolean;

const matchesAll: LabelMatcher = () => true;

/** Matchers of the frozen queries that `labelQueries` gives. */
const compiled = new WeakMap<readonly LabelQuery[], LabelMatcher>();

/**
 * A function that tells whether labels match one of the queries. All that does not depend on the labels is worked out
 * here, once. Throws as `labelQueries` does.
 */
export function labelMatcher(input: LabelQueryInput | undefined): LabelMatcher {
  const queries = labelQueries(input);
  let matcher = compiled.get(queries);
  if (matcher === undefined) {
    matcher = queries.length === 0 ? matchesAll : anyOf(queries.map(queryMatcher));
    compiled.set(queries, matcher);
  }
  return matcher;
}

/** True when the labels match one of the queries, or there are none. For many labels use {@link labelMatcher}. */
export function matchesLabels(labels: StringMap, queries: LabelQueryInput | undefined): boolean {
  return labelMatcher(queries)(labels);
}

function anyOf(matchers: readonly LabelMatcher[]): LabelMatcher {
  const [only] = matchers;
  return matchers.length === 1 && only !== undefined ? only : (labels) => matchers.some((matches) => matches(labels));
}

function queryMatcher(query: LabelQuery): LabelMatcher {
  const terms = query.map(termMatcher);
  const [only] = terms;
  return terms.length === 1 && only !== undefined ? only : (labels) => terms.every((matches) => matches(labels));
}

function termMatcher(term: LabelTerm): LabelMatcher {
  const { key, invert } = term;
  const test = valueTest(term);
  const absent = term.op === 'exists' || term.op === 'equal' || term.op === 'in' ? invert : false;
  return (labels) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    if (value === undefined) return absent;
    const answer = test(value);
    return answer === 'never' ? false : answer !== invert;
  };
}

/** `never`: the two cannot be compared, and the term does not match, inverted or not. */
type Answer = boolean | 'never';

/** What a term says of a label that is there, before it is turned round. */
function valueTest(term: LabelTerm): (value: string) => Answer {
  const [first] = term.value;
  if (term.op === 'exists') return () => true;
  if (first === undefined) return () => false;
  switch (term.op) {
    case 'equal':
      return (value) => value === first;
    case 'in': {
      const values = new Set(term.value);
      return (value) => values.has(value);
    }
    case 'lt':
      return (value) => compareUtf8(value, first) < 0;
    case 'lte':
      return (value) => compareUtf8(value, first) <= 0;
    case 'ltNumeric':
      return numericTest(first, (order) => order < 0);
    case 'lteNumeric':
      return numericTest(first, (order) => order <= 0);
  }
}

function numericTest(text: string, holds: (order: number) => boolean): (value: string) => Answer {
  const limit = readNumeric(text);
  if (limit === undefined) return () => 'never';
  return (value) => {
    const number = readNumeric(value);
    return number === undefined ? 'never' : holds(compareNumeric(number, limit));
  };
}
