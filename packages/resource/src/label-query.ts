import { InvalidArgumentError, UnsupportedError } from './errors.js';

/**
 * How a term looks at a label. `lt` and `lte` compare texts in the byte order of UTF-8, the numeric ones compare numbers
 * with optional units (`8 GiB`), exactly.
 */
export type LabelOperation = 'exists' | 'equal' | 'in' | 'lt' | 'lte' | 'ltNumeric' | 'lteNumeric';

/** One condition on one label. Made by {@link label}. */
export interface LabelTerm {
  readonly key: string;
  readonly op: LabelOperation;
  /** One text; several for `in`, of which one has to be equal; none for `exists`. */
  readonly value: readonly string[];
  /** Turns the answer round. A comparison on a label that is not there never matches, inverted or not. */
  readonly invert: boolean;
}

/** Matches when all of its terms do. Without terms it matches everything. */
export type LabelQuery = readonly LabelTerm[];

/** One query, or several of which one has to match. An empty list matches everything. */
export type LabelQueryInput = LabelQuery | readonly LabelQuery[];

const operations: ReadonlySet<unknown> = new Set<LabelOperation>([
  'exists',
  'equal',
  'in',
  'lt',
  'lte',
  'ltNumeric',
  'lteNumeric',
]);

/** Queries that were made here: valid, frozen, and shared as they are. */
const canonical = new WeakSet<object>();
const none: readonly LabelQuery[] = Object.freeze([]);
canonical.add(none);

/**
 * Brings what callers may give into the form that backends read: a frozen copy, a list of queries of which one has to
 * match. What it gave before comes back as it is.
 *
 * Throws `unsupported` for an operation that is not known, and `invalid-argument` for anything else that is no query.
 */
export function labelQueries(input: LabelQueryInput | undefined): readonly LabelQuery[] {
  if (input === undefined) return none;
  if (!Array.isArray(input)) throw new InvalidArgumentError('a label query must be a list of terms, or a list of such');
  if (input.length === 0) return none;
  if (canonical.has(input)) return input as readonly LabelQuery[];
  const several = input.some((part) => Array.isArray(part));
  const queries = several ? Array.from(input as readonly LabelQuery[], checkedQuery) : [checkedQuery(input)];
  canonical.add(queries);
  return Object.freeze(queries);
}

function checkedQuery(query: unknown): LabelQuery {
  if (!Array.isArray(query)) throw new InvalidArgumentError('label queries and label terms must not be mixed');
  return Object.freeze(Array.from(query, checkedTerm));
}

function checkedTerm(term: unknown): LabelTerm {
  if (typeof term !== 'object' || term === null) throw new InvalidArgumentError('a label term must be an object');
  const { key, op, value, invert } = term as { readonly [P in keyof LabelTerm]: unknown };
  if (typeof key !== 'string') throw new InvalidArgumentError('the key of a label term must be a string');
  const where = `the label term on ${JSON.stringify(key)}`;
  if (!operations.has(op)) {
    throw new UnsupportedError(`${where} has an unknown operation: ${typeof op === 'string' ? op : typeof op}`);
  }
  if (!Array.isArray(value) || !Array.from(value).every((text) => typeof text === 'string')) {
    throw new InvalidArgumentError(`the value of ${where} must be a list of strings`);
  }
  if (typeof invert !== 'boolean') throw new InvalidArgumentError(`invert of ${where} must be true or false`);
  return makeTerm(key, op as LabelOperation, value, invert);
}

function makeTerm(key: string, op: LabelOperation, value: readonly string[], invert: boolean): LabelTerm {
  return Object.freeze({ key, op, value: Object.freeze([...value]), invert });
}

/** A number as numeric terms take it: as a text with an optional unit, or an integer. */
export type NumericValue = string | number | bigint;

/**
 * The terms that can be asked about one label. All but `isNot`, `absent` and `notIn` are false when the label is not
 * there.
 */
export class Label {
  readonly key: string;

  constructor(key: string) {
    if (typeof key !== 'string') throw new TypeError(`the key of a label must be a string, not ${typeof key}`);
    this.key = key;
    Object.freeze(this);
  }

  exists(): LabelTerm {
    return makeTerm(this.key, 'exists', [], false);
  }

  absent(): LabelTerm {
    return makeTerm(this.key, 'exists', [], true);
  }

  is(value: string): LabelTerm {
    return this.#term('equal', [value], false);
  }

  /** True also when the label is not there. */
  isNot(value: string): LabelTerm {
    return this.#term('equal', [value], true);
  }

  in(values: readonly string[]): LabelTerm {
    return this.#term('in', values, false);
  }

  /** True also when the label is not there. */
  notIn(values: readonly string[]): LabelTerm {
    return this.#term('in', values, true);
  }

  /** In the byte order of UTF-8, as all that compare texts here. */
  lessThan(value: string): LabelTerm {
    return this.#term('lt', [value], false);
  }

  atMost(value: string): LabelTerm {
    return this.#term('lte', [value], false);
  }

  greaterThan(value: string): LabelTerm {
    return this.#term('lte', [value], true);
  }

  atLeast(value: string): LabelTerm {
    return this.#term('lt', [value], true);
  }

  /** Compares numbers, as all that follow. False when the label or the value is no number. */
  lessThanNumeric(value: NumericValue): LabelTerm {
    return this.#numeric('ltNumeric', value, false);
  }

  atMostNumeric(value: NumericValue): LabelTerm {
    return this.#numeric('lteNumeric', value, false);
  }

  greaterThanNumeric(value: NumericValue): LabelTerm {
    return this.#numeric('lteNumeric', value, true);
  }

  atLeastNumeric(value: NumericValue): LabelTerm {
    return this.#numeric('ltNumeric', value, true);
  }

  #numeric(op: LabelOperation, value: NumericValue, invert: boolean): LabelTerm {
    if (typeof value === 'number' && !Number.isSafeInteger(value)) {
      throw new InvalidArgumentError(`${value} is no integer that numeric label terms can compare with exactly`);
    }
    return this.#term(op, [typeof value === 'string' ? value : value.toString()], invert);
  }

  #term(op: LabelOperation, value: readonly string[], invert: boolean): LabelTerm {
    for (const text of value) {
      if (typeof text !== 'string') throw new TypeError(`a label is compared with strings, not with a ${typeof text}`);
    }
    return makeTerm(this.key, op, value, invert);
  }
}

/**
 * Begins a term on the label with that key.
 *
 * @example
 * await state.list(VMConfig.kind, { labels: [label('tier').is('web'), label('memory').atLeastNumeric('8 GiB')] });
 */
export function label(key: string): Label {
  return new Label(key);
}
