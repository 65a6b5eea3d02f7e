import assert from 'node:assert/strict';
import type { GivenResource, PlainResource, Side } from './side.js';
import type { Scenario } from './stage.js';

const shop = 'shop';
export const orders = { namespace: shop, type: 'Orders.interop.cosi.dev' } as const;
export const invoices = { namespace: shop, type: 'Invoices.interop.cosi.dev' } as const;
export const documents = { namespace: shop, type: 'Documents.interop.cosi.dev' } as const;
export const gauges = { namespace: shop, type: 'Gauges.interop.cosi.dev' } as const;

/** An order that uses every field. */
const fullOrder: GivenResource = {
  ...orders,
  id: 'full/ordер 1',
  labels: { tier: 'web', кириллица: 'да', empty: '' },
  annotations: { 'shop.example/note': 'line one\nline two', constructor: 'x' },
  finalizers: ['packer', 'accountant'],
  spec: {
    customer: 'Zoë & sons «ООО»',
    quantity: 3,
    items: ['cup', '', 'saucer\n'],
    notes: { '': 'nothing', b: '2', a: '1' },
    placed: '2026-02-03T04:05:06.789012345Z',
    express: true,
    weight: 1.5,
    token: 'AAEC/w==',
    address: { street: 'Main', city: 'Ulm' },
    discount: 0,
    sizes: [1, -1, 2147483647],
  },
};

/** Bytes of maps have no order, times of creation may be as sent: the rest must be seen alike by both. */
export function seenAlike(resource: PlainResource): unknown {
  const { bytes: _, yaml: __, ...rest } = resource;
  return rest;
}

async function agree(stage: { readonly both: readonly Side[] }, pointer: GivenResource): Promise<PlainResource> {
  const [byGo, byUs] = await Promise.all(stage.both.map((side) => side.get(pointer)));
  assert.deepEqual(seenAlike(byGo as PlainResource), seenAlike(byUs as PlainResource));
  return byGo as PlainResource;
}

/** A resource of one type goes from one side to the other, is changed there, and comes back. */
function travels(what: string, given: GivenResource, changed: unknown): Scenario {
  return [
    `${what} are read and changed by the other side`,
    async (stage) => {
      const { first, second } = stage;
      const created = await first.create(given);
      assert.equal(created.version, '1');
      const read = await agree(stage, given);
      assert.deepEqual(read.spec, given.spec);
      assert.deepEqual(read.labels, given.labels ?? {});
      assert.deepEqual(read.annotations, given.annotations ?? {});
      assert.deepEqual(read.finalizers, given.finalizers ?? []);
      assert.notEqual(read.created, '1970-01-01T00:00:00Z');

      const updated = await second.change(given, { spec: changed, labels: { seen: second.name } });
      assert.equal(updated.version, '2');
      const again = await agree(stage, given);
      assert.deepEqual(again.spec, changed);
      assert.deepEqual(again.labels, { ...given.labels, seen: second.name });
      assert.equal(again.created, read.created);

      // A whole update by who began, of what the other side wrote.
      await first.update({ ...given, version: '2', labels: { only: 'this' } });
      const last = await agree(stage, given);
      assert.equal(last.version, '3');
      assert.deepEqual(last.spec, given.spec);
      assert.deepEqual(last.labels, { only: 'this' });
    },
  ];
}

const document: GivenResource = {
  ...documents,
  id: 'anything',
  spec: { text: 'ü', number: 1.25, nothing: null, yes: true, list: [1, 'two', { three: 3 }], inner: { a: {} } },
};

const gauge: GivenResource = {
  ...gauges,
  id: 'pressure',
  spec: { name: 'pressure', count: '7', lit: true, tags: ['a', 'b'], points: ['1', '-2', '3'] },
};

export const resourceScenarios: readonly Scenario[] = [
  travels('messages', fullOrder, { customer: 'someone else', quantity: -1 }),
  travels('messages without a field', { ...orders, id: 'empty', spec: {} }, { quantity: 1 }),
  travels('JSON-like documents', document, { other: [[], {}] }),
  [
    'structs with tags are read as messages, and the other way round',
    async ({ both: [go, ours], first }) => {
      const given = first.name === 'Go' ? { ...gauge, spec: numbered(gauge.spec) } : gauge;
      await first.create(given);
      assert.deepEqual((await ours.get(gauge)).spec, gauge.spec);
      assert.deepEqual(lowered((await go.get(gauge)).spec), numbered(gauge.spec));
      assert.equal((await go.get(gauge)).bytes, (await ours.get(gauge)).bytes);
    },
  ],
  [
    'a spec keeps its bytes while the other side changes the metadata',
    async ({ first, second }) => {
      const given = { ...orders, id: 'bytes', spec: { customer: 'a', items: ['x', 'y'], weight: 0.1 } };
      const { bytes } = await first.create(given);
      await second.change(given, { labels: { a: '1' } });
      await second.addFinalizer(given, 'holder');
      const [byFirst, bySecond] = [await first.get(given), await second.get(given)];
      assert.deepEqual([byFirst.bytes, bySecond.bytes], [bytes, bytes]);
      assert.deepEqual([bySecond.version, bySecond.finalizers], ['3', ['holder']]);
    },
  ],
  [
    'ids and namespaces of any characters are kept',
    async (stage) => {
      for (const id of ['a/b c', '../..', '%2F', 'ключ', '\u{1f600}', ' ', 'x'.repeat(1000), 'tab\tand\nbreak']) {
        const given = { ...orders, namespace: `n ${id}`.slice(0, 1000), id, spec: { customer: id.slice(0, 3) } };
        await stage.first.create(given);
        assert.equal((await agree(stage, given)).id, id);
      }
    },
  ],
  [
    'a list is in the same order for both',
    async ({ both, first, second }) => {
      const ids = ['b', 'a', '｡', '\u{1f600}', 'B', 'a/1', 'ä'];
      for (const [i, id] of ids.entries()) await (i % 2 === 0 ? first : second).create({ ...orders, id, spec: {} });
      const [byGo, byUs] = await Promise.all(both.map((side) => side.list(orders)));
      assert.deepEqual(byGo?.map(seenAlike), byUs?.map(seenAlike));
      assert.deepEqual(
        byUs?.map(({ id }) => id),
        ids.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      );
    },
  ],
  [
    'a list of many is whole',
    async ({ both, first, second }) => {
      const items = Array.from({ length: 50 }, (_, i) => 'lorem ipsum dolor sit amet '.repeat(20 + (i % 5)));
      for (let i = 0; i < 60; i++) {
        await (i % 2 === 0 ? first : second).create({ ...orders, id: `order-${1000 + i}`, spec: { items } });
      }
      for (const side of both) {
        const all = await side.list(orders);
        assert.equal(all.length, 60);
        for (const { spec } of all) assert.deepEqual(spec, { items });
      }
    },
  ],
];

/** The spec of a gauge with numbers that Go's struct takes. */
function numbered(spec: unknown): unknown {
  const { count, points, ...rest } = spec as { count: string; points: readonly string[] };
  return { ...rest, count: Number(count), points: points.map(Number) };
}

/** Go's struct has no names for JSON, and gives those of its fields. */
function lowered(spec: unknown): unknown {
  return Object.fromEntries(Object.entries(spec as object).map(([name, value]) => [name.toLowerCase(), value]));
}
