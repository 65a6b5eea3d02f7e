import { describe, expect, it } from 'vitest';
import { TimelineRows } from './timeline-rows.js';

const rows = new TimelineRows([
  { step: 'list', executions: 'one', total: 1 },
  { step: 'each', executions: 'items', total: 3 },
  { step: 'sum', executions: 'one', total: 1 },
]);

describe('the lines of the timeline', () => {
  it('are one for each execution, after one for the step as a whole', () => {
    expect(rows.count).toBe(6);
    expect(rows.slice(0, 99).map(({ step, index }) => `${step} ${index}`)).toEqual([
      'list -1',
      'each -1',
      'each 0',
      'each 1',
      'each 2',
      'sum -1',
    ]);
  });

  it('are made from anywhere to anywhere', () => {
    const all = rows.slice(0, rows.count);
    for (let from = 0; from <= all.length; from++) {
      for (let to = from; to <= all.length; to++) expect(rows.slice(from, to)).toEqual(all.slice(from, to));
    }
  });
});
