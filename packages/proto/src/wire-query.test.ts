import { create } from '@bufbuild/protobuf';
import { InvalidArgumentError, label, matchesLabels } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import { type LabelRow, type LabelTermRow, vectors } from './testdata/vectors.js';
import * as wire from './wire.js';
import { fromWireIdQuery, fromWireLabelQueries, toWireIdQuery, toWireLabelQueries } from './wire-query.js';

function termOf({ key, op, value, invert }: LabelTermRow): wire.LabelTerm {
  return create(wire.LabelTermSchema, {
    key,
    op: wire.LabelTerm_Operation[op as keyof typeof wire.LabelTerm_Operation],
    value: [...(value ?? [])],
    invert: invert ?? false,
  });
}

const rows = vectors<LabelRow>('labels')
  // Arithmetic is exact here; the peer computes in 64 bits, and does not match what has more digits.
  .filter((row) => row.wraps !== true && !/[0-9]{19}/.test(JSON.stringify([row.labels, row.queries])))
  .map(({ labels, queries, matches }) => ({
    labels,
    matches,
    queries: queries.map((terms) => create(wire.LabelQuerySchema, { terms: terms.map(termOf) })),
  }));

describe('label queries', () => {
  it('R13: match as they do for the peer', () => {
    for (const { labels, queries, matches } of rows) {
      const read = fromWireLabelQueries(queries);
      expect({ labels, queries, matches: matchesLabels(labels, read) }).toEqual({ labels, queries, matches });
    }
  });

  it('R13: mean the same after they were sent, and never compare with nothing', () => {
    const compares = new Set(['EQUAL', 'LT', 'LTE', 'LT_NUMERIC', 'LTE_NUMERIC']);
    for (const { labels, queries, matches } of rows) {
      const sent = toWireLabelQueries(fromWireLabelQueries(queries));
      for (const { op, value } of sent.flatMap(({ terms }) => terms)) {
        expect(compares.has(wire.LabelTerm_Operation[op]) && value.length === 0).toBe(false);
        expect(op).not.toBe(wire.LabelTerm_Operation.NOT_EXISTS);
      }
      expect(matchesLabels(labels, fromWireLabelQueries(sent))).toBe(matches);
    }
  });

  it('are sent as terms with numbers for operations', () => {
    const sent = toWireLabelQueries([label('tier').is('web'), label('memory').atLeastNumeric('8 GiB')]);
    expect(sent).toEqual([
      create(wire.LabelQuerySchema, {
        terms: [
          { key: 'tier', op: wire.LabelTerm_Operation.EQUAL, value: ['web'] },
          { key: 'memory', op: wire.LabelTerm_Operation.LT_NUMERIC, value: ['8 GiB'], invert: true },
        ],
      }),
    ]);
    expect(toWireLabelQueries(undefined)).toEqual([]);
  });

  it('with an unknown operation are unsupported', () => {
    const query = create(wire.LabelQuerySchema, { terms: [{ key: 'k', op: 99 as wire.LabelTerm_Operation }] });
    expect(() => fromWireLabelQueries([query])).toThrow(expect.objectContaining({ code: 'unsupported' }));
  });

  it('with lone surrogates are refused before they are sent', () => {
    expect(() => toWireLabelQueries([label('k').is('\ud800')])).toThrow(InvalidArgumentError);
    expect(() => toWireLabelQueries([label('\udc00').exists()])).toThrow(InvalidArgumentError);
    expect(() => toWireIdQuery('\ud800')).toThrow(InvalidArgumentError);
  });
});

describe('id queries', () => {
  it('are there or not, whatever they hold', () => {
    expect(toWireIdQuery(undefined)).toBeUndefined();
    expect(fromWireIdQuery(undefined)).toBeUndefined();
    expect(fromWireIdQuery(toWireIdQuery(''))).toBe('');
    expect(fromWireIdQuery(toWireIdQuery('^a.*$'))).toBe('^a.*$');
  });
});
