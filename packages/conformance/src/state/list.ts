import { Draft } from '@cosi-ts/resource';
import { equal, sameResources } from '../assertions.js';
import { Items, Others } from '../items.js';
import type { StateSuite } from '../state-suite.js';
import type { StateTest } from '../state-test.js';

/** In the byte order of UTF-8. UTF-16 units would put the emoji before U+E000 and U+FF61. */
export const idsInOrder: readonly string[] = Object.freeze(
  [
    ' ',
    '!',
    '10',
    '9',
    'A',
    'Z',
    'a',
    'a/b',
    'aa',
    'b',
    'é',
    'ß',
    '中',
    '\ue000',
    '｡',
    '\u{1f600}',
    '\u{10ffff}',
  ].toSorted(compareBytes),
);

function compareBytes(a: string, b: string): number {
  const [x, y] = [new TextEncoder().encode(a), new TextEncoder().encode(b)];
  const at = x.findIndex((byte, i) => byte !== y[i]);
  return at < 0 ? x.length - y.length : (x[at] as number) - (y[at] ?? -1);
}

async function ids(t: StateTest): Promise<string[]> {
  return (await t.core.list(t.kind)).map(({ metadata }) => metadata.id);
}

export function listTests({ it, features }: StateSuite): void {
  it('S3: an empty kind is an empty list', async (t) => {
    equal(await t.core.list(t.kind), [], 'the list of a kind that has never been');
    await t.create('a');
    await t.core.destroy(t.at('a'));
    equal(await t.core.list(t.kind), [], 'the list of a kind whose last resource is gone');
  });

  it('S3: list gives all resources of the kind as they are stored', async (t) => {
    const a = await t.create('a', 1, { labels: { x: '1' }, finalizers: ['f'] });
    const c = await t.create('c', 3);
    const b = await t.setValue(await t.create('b', 0), 2);
    sameResources(await t.core.list(t.kind), [a, b, c], 'the list');
  });

  it('S3: list leaves out the resources of other types', async (t) => {
    const a = await t.create('a');
    await t.core.create(Others.new('b', { value: 2 }));
    sameResources(await t.core.list(t.kind), [a], 'the list');
  });

  if (features.namespaces) {
    it('S3: list leaves out the resources of other namespaces', async (t) => {
      const a = await t.create('a');
      await t.core.create(Items.new('b', { value: 2 }, { namespace: 'conformance-other' }));
      sameResources(await t.core.list(t.kind), [a], 'the list');
    });
  }

  it('S3: a list is sorted by id in the byte order of UTF-8', async (t) => {
    for (const id of [...idsInOrder].reverse()) await t.create(id);
    equal(await ids(t), idsInOrder, 'the ids in the list');
  });

  it('S3: a list stays sorted while resources come and go', async (t) => {
    for (const id of ['m', 'c', 'x', 'g', 'q']) await t.create(id);
    equal(await ids(t), ['c', 'g', 'm', 'q', 'x'], 'the ids in the list');
    await t.core.destroy(t.at('g'));
    await t.create('a');
    await t.setValue(await t.core.get(t.at('x')), 5);
    equal(await ids(t), ['a', 'c', 'm', 'q', 'x'], 'the ids after a destroy, a create and an update');
    await t.create('g');
    await t.create('y');
    await t.core.destroy(t.at('a'));
    equal(await ids(t), ['c', 'g', 'm', 'q', 'x', 'y'], 'the ids after more of them');
  });

  it('S3: a list that was given stays what it was', async (t) => {
    const a = await t.create('a');
    const b = await t.create('b');
    const list = await t.core.list(t.kind);
    await t.setValue(a, 9);
    await t.core.destroy(t.at('b'));
    await t.create('0');
    sameResources(list, [a, b], 'the list from before');
  });

  it('S3: a list sees every write that was answered before it', async (t) => {
    for (let i = 0; i < 10; i++) {
      const created = await t.create(`id-${i}`, i);
      const list = await t.core.list(t.kind);
      equal(list.length, i + 1, 'the number of resources');
      sameResources(list.slice(-1), [created], 'the last one');
    }
  });

  it('S3, R16: what a list with a bare kind gives can be changed in its metadata and read by a declaration', async (t) => {
    await t.create('a', 42);
    const [opaque] = await t.core.list({ namespace: t.kind.namespace, type: t.kind.type });
    const draft = new Draft(opaque as NonNullable<typeof opaque>);
    draft.metadata.labels.seen = 'yes';
    const updated = await t.core.update(draft.finish());
    equal(updated.metadata.labels, { seen: 'yes' }, 'the labels');
    equal(t.valueOf(await t.core.get(t.at('a'))), 42, 'the spec');
  });
}
