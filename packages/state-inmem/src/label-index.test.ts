import { type LabelQuery, label, labelMatcher, labelQueries } from '@cosi-ts/resource';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { Collection } from './collection.js';
import { LabelIndex } from './label-index.js';
import { resolveQueries } from './queries.js';
import { Slot } from './slot.js';
import { SlotTable } from './slot-table.js';
import { Disk, disk, labelled, stored } from './testing/disks.js';

const bounds = { maxEvents: 10, maxBytes: 1e9 };
const keys = ['tier', 'zone', 'constructor'];
const values = ['a', 'b', 'c'];

function filled(count: number): Collection {
  const collection = new Collection(Disk.kind, new SlotTable(), bounds, 0);
  for (let i = 0; i < count; i++) {
    const labels = {
      tier: values[i % 3] as string,
      ...(i % 2 === 0 ? { zone: values[i % 5 === 0 ? 0 : 1] as string } : {}),
    };
    collection.created(stored(disk(`disk-${i}`, { labels })), i + 1);
  }
  return collection;
}

function list(collection: Collection, queries: LabelQuery | readonly LabelQuery[]): string[] {
  return collection.list(resolveQueries({ labels: queries })).map(({ metadata }) => metadata.id);
}

function scan(collection: Collection, queries: readonly LabelQuery[]): string[] {
  const matches = labelMatcher(queries);
  return collection
    .all()
    .filter(({ metadata }) => matches(metadata.labels))
    .map(({ metadata }) => metadata.id);
}

describe('the label index', () => {
  const term = fc.oneof(
    fc
      .record({ key: fc.constantFrom(...keys), value: fc.constantFrom(...values) })
      .map(({ key, value }) => label(key).is(value)),
    fc.record({ key: fc.constantFrom(...keys), some: fc.subarray(values) }).map(({ key, some }) => label(key).in(some)),
    fc.constantFrom(...keys).map((key) => label(key).exists()),
    fc.constantFrom(...keys).map((key) => label(key).isNot('a')),
    fc.constantFrom(...keys).map((key) => ({ key, op: 'equal', value: [], invert: false }) as const),
  );
  const queries = fc.array(fc.array(term, { maxLength: 3 }), { maxLength: 3 });
  const labelsOf = fc.dictionary(fc.constantFrom(...keys), fc.constantFrom(...values), { maxKeys: 3 });
  const step = fc.oneof(
    fc.record({ do: fc.constant('write' as const), id: fc.integer({ min: 0, max: 99 }), labels: labelsOf }),
    fc.record({ do: fc.constant('destroy' as const), id: fc.integer({ min: 0, max: 99 }) }),
    fc.record({ do: fc.constant('query' as const), queries }),
  );

  it('S3: lists what a scan does, after any changes and queries', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
        const collection = filled(80);
        let position = 100;
        for (const each of steps) {
          if (each.do === 'query') {
            const asked = labelQueries(each.queries);
            expect(list(collection, asked)).toEqual(scan(collection, asked));
            continue;
          }
          const id = `disk-${each.id}`;
          const present = collection.get(id);
          if (each.do === 'destroy') {
            if (present !== undefined) collection.destroyed(id, ++position);
          } else if (present === undefined) {
            collection.created(stored(disk(id, { labels: each.labels })), ++position);
          } else {
            collection.updated(labelled(present, each.labels), ++position);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it('S3: gives matches of several queries once, in order', () => {
    const collection = filled(90);
    const asked = labelQueries([[label('tier').is('a')], [label('zone').in(['a', 'b', 'a'])], [label('tier').is('a')]]);
    expect(list(collection, asked)).toEqual(scan(collection, asked));
  });

  it('finds the matches of an equality without looking at anything else', () => {
    const slots = Array.from(
      { length: 1000 },
      (_, i) => new Slot(disk(`${i}`, { labels: { n: `${i % 100}` } }), undefined),
    );
    const all = { size: slots.length, has: () => true, slots: vi.fn(() => slots) };
    const index = new LabelIndex(all);
    const find = (value: string) => index.find(labelQueries([label('n').is(value)]));
    expect(find('7')).toMatchObject({ exact: true, slots: { length: 10 } });
    expect(find('8')).toMatchObject({ exact: true, slots: { length: 10 } });
    expect(find('absent')).toEqual({ exact: true, slots: [] });
    expect(index.find(labelQueries([label('n').is('7'), label('m').exists()]))).toMatchObject({ exact: false });
    expect(index.find(labelQueries([[label('n').is('7')], [label('m').exists()]]))).toBeUndefined();
    expect(all.slots).toHaveBeenCalledTimes(1);
  });

  it('gives up the keys that were asked for longest ago, and answers them all the same', () => {
    const collection = filled(90);
    for (let i = 0; i < 40; i++) expect(list(collection, [label(`key-${i}`).is('x')])).toEqual([]);
    const asked = labelQueries([label('tier').is('a')]);
    expect(list(collection, asked)).toEqual(scan(collection, asked));
    const first = collection.get('disk-1');
    collection.updated(labelled(first as NonNullable<typeof first>, { tier: 'a' }), 1000);
    expect(list(collection, asked)).toContain('disk-1');
  });
});
