import { create } from '@bufbuild/protobuf';
import {
  InvalidArgumentError,
  type LabelOperation,
  type LabelQuery,
  type LabelQueryInput,
  type LabelTerm,
  labelQueries,
  UnsupportedError,
} from '@cosi-ts/resource';
import {
  IDQuerySchema,
  LabelQuerySchema,
  LabelTermSchema,
  LabelTerm_Operation as Operation,
  type IDQuery as WireIdQuery,
  type LabelQuery as WireLabelQuery,
  type LabelTerm as WireLabelTerm,
} from './gen/cosi/resource/state_pb.js';
import { checkWellFormed } from './well-formed.js';

const operations: Readonly<Record<LabelOperation, Operation>> = {
  exists: Operation.EXISTS,
  equal: Operation.EQUAL,
  in: Operation.IN,
  lt: Operation.LT,
  lte: Operation.LTE,
  ltNumeric: Operation.LT_NUMERIC,
  lteNumeric: Operation.LTE_NUMERIC,
};

const operationNames = new Map(
  Object.entries(operations).map(([name, operation]) => [operation, name as LabelOperation]),
);

/**
 * Label queries as clients send them. A term that compares with nothing crashes some servers: it is sent as another one
 * that means the same.
 *
 * @throws `invalid-argument` for text with lone surrogates
 */
export function toWireLabelQueries(queries: LabelQueryInput | undefined): WireLabelQuery[] {
  return labelQueries(queries).map((query) => create(LabelQuerySchema, { terms: query.map(toWireTerm) }));
}

function toWireTerm(term: LabelTerm): WireLabelTerm {
  const { key, op, value, invert } = withoutEmptyComparison(term);
  for (const text of [key, ...value]) checkWellFormed(text, 'label term');
  return create(LabelTermSchema, { key, op: operations[op], value: [...value], invert });
}

function withoutEmptyComparison(term: LabelTerm): LabelTerm {
  if (term.value.length > 0 || term.op === 'exists' || term.op === 'in') return term;
  // An inverted comparison with nothing matches whenever the label is there.
  if (term.op !== 'equal' && term.invert) return { ...term, op: 'exists', invert: false };
  return { ...term, op: 'in' };
}

/**
 * Label queries as servers read them.
 *
 * @throws `unsupported` for an operation that is not known
 */
export function fromWireLabelQueries(messages: readonly WireLabelQuery[]): readonly LabelQuery[] {
  return labelQueries(messages.map((message) => message.terms.map(fromWireTerm)));
}

function fromWireTerm({ key, op, value, invert }: WireLabelTerm): LabelTerm {
  if (op === Operation.NOT_EXISTS) return { key, op: 'exists', value, invert: true };
  const name = operationNames.get(op);
  if (name === undefined) {
    throw new UnsupportedError(`the label term on ${JSON.stringify(key)} has the unknown operation ${op}`);
  }
  return { key, op: name, value, invert };
}

/**
 * An id query as clients send it: nothing, when all ids are asked for.
 *
 * @throws `invalid-argument` for what is no text, or has lone surrogates
 */
export function toWireIdQuery(pattern: string | undefined): WireIdQuery | undefined {
  if (pattern === undefined) return undefined;
  if (typeof pattern !== 'string') {
    throw new InvalidArgumentError(`an id query must be a string, not ${typeof pattern}`);
  }
  checkWellFormed(pattern, 'id query');
  return create(IDQuerySchema, { regexp: pattern });
}

export function fromWireIdQuery(message: WireIdQuery | undefined): string | undefined {
  return message?.regexp;
}
