import assert from 'node:assert/strict';
import { type LabelQuery, label } from '@cosi-ts/resource';
import { orders } from './resources.js';
import { textOf } from './side.js';
import type { Scenario } from './stage.js';

/** Labels by id. */
const shelf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  a: { tier: 'web', size: '10', memory: '1Gi' },
  b: { tier: 'db', size: '9', memory: '1500 Mi' },
  c: { tier: 'web', size: '-3', memory: '2G' },
  d: { size: '100', memory: 'much' },
  e: { tier: '', size: '0010' },
  'f/1': { tier: 'Web', memory: '1024mib' },
};

/** A term without values, which has no other way to be made. */
const empty = (op: 'in' | 'equal' | 'lt' | 'ltNumeric', invert: boolean): LabelQuery => [
  { key: op === 'ltNumeric' ? 'size' : 'tier', op, value: [], invert },
];

/** Queries with the ids that match. */
const byLabels: readonly (readonly [what: string, labels: readonly LabelQuery[], ids: readonly string[]])[] = [
  ['nothing asked', [], ['a', 'b', 'c', 'd', 'e', 'f/1']],
  ['exists', [[label('tier').exists()]], ['a', 'b', 'c', 'e', 'f/1']],
  ['does not exist', [[label('tier').absent()]], ['d']],
  ['equal', [[label('tier').is('web')]], ['a', 'c']],
  ['not equal', [[label('tier').isNot('web')]], ['b', 'd', 'e', 'f/1']],
  ['equal to nothing', [[label('tier').is('')]], ['e']],
  ['in', [[label('tier').in(['web', 'db'])]], ['a', 'b', 'c']],
  ['not in', [[label('tier').notIn(['web', 'db'])]], ['d', 'e', 'f/1']],
  ['less', [[label('tier').lessThan('web')]], ['b', 'e', 'f/1']],
  ['less or equal', [[label('tier').atMost('web')]], ['a', 'b', 'c', 'e', 'f/1']],
  ['not less', [[label('tier').atLeast('web')]], ['a', 'c']],
  ['less as a number', [[label('size').lessThanNumeric('10')]], ['b', 'c']],
  ['at most as a number', [[label('size').atMostNumeric(10)]], ['a', 'b', 'c', 'e']],
  ['more as a number', [[label('size').greaterThanNumeric('10')]], ['d']],
  ['less with units', [[label('memory').lessThanNumeric('1500Mi')]], ['a', 'f/1']],
  ['at most with units', [[label('memory').atMostNumeric('1500 mi')]], ['a', 'b', 'f/1']],
  ['more with units', [[label('memory').atLeastNumeric('1536000 Ki')]], ['b', 'c']],
  ['a number that is none', [[label('memory').lessThanNumeric('lots')]], []],
  ['all of several terms', [[label('tier').is('web'), label('size').lessThanNumeric('5')]], ['c']],
  ['one of several queries', [[label('tier').is('db')], [label('tier').absent()]], ['b', 'd']],
  ['in nothing', [empty('in', false)], []],
  ['not in nothing', [empty('in', true)], ['a', 'b', 'c', 'd', 'e', 'f/1']],
];

/** Terms that crash a Go server when they come as they are: our client says the same in other words. */
const byOurClientAlone: typeof byLabels = [
  ['equal to no value', [empty('equal', false)], []],
  ['not equal to no value', [empty('equal', true)], ['a', 'b', 'c', 'd', 'e', 'f/1']],
  ['less than no value', [empty('lt', false)], []],
  ['not less than no value', [empty('lt', true)], ['a', 'b', 'c', 'e', 'f/1']],
  ['not less than no number', [empty('ltNumeric', true)], ['a', 'b', 'c', 'd', 'e']],
];

const byId: readonly (readonly [idQuery: string, ids: readonly string[]])[] = [
  ['^[abc]$', ['a', 'b', 'c']],
  ['/', ['f/1']],
  ['a|e', ['a', 'e']],
  ['^$', []],
  ['\\d', ['f/1']],
];

async function fill({ first, second }: Parameters<Scenario[1]>[0]): Promise<void> {
  for (const [i, [id, labels]] of Object.entries(shelf).entries()) {
    await (i % 2 === 0 ? first : second).create({ ...orders, id, labels, spec: {} });
  }
}

const ids = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id);

export const queryScenarios: readonly Scenario[] = [
  [
    'lists by labels give the same to both',
    async (stage) => {
      await fill(stage);
      for (const [what, labels, wanted] of byLabels) {
        for (const side of stage.both) {
          assert.deepEqual(ids(await side.list(orders, { labels })), wanted, `${what}, asked by ${side.name}`);
        }
      }
      const [, ours] = stage.both;
      for (const [what, labels, wanted] of byOurClientAlone) {
        assert.deepEqual(ids(await ours.list(orders, { labels })), wanted, what);
      }
    },
  ],
  [
    'lists by id give the same to both',
    async (stage) => {
      await fill(stage);
      for (const [idQuery, wanted] of byId) {
        for (const side of stage.both) {
          assert.deepEqual(ids(await side.list(orders, { idQuery })), wanted, `${idQuery}, asked by ${side.name}`);
        }
      }
    },
  ],
  [
    'watches by labels and ids begin with the same for both',
    async (stage) => {
      await fill(stage);
      for (const [what, labels, wanted] of byLabels) {
        for (const side of stage.both) {
          const reader = await stage.watch(side, { ...orders, labels, bootstrapContents: true });
          const events = await reader.take(wanted.length + 1);
          assert.deepEqual(
            events.map(textOf),
            [...wanted.map((id) => `created ${id}@1`), 'bootstrapped'],
            `${what}, asked by ${side.name}`,
          );
          await reader.close();
        }
      }
    },
  ],
  [
    'watches by labels tell what begins and ceases to match',
    async (stage) => {
      const labels = [[label('size').lessThanNumeric('10')]];
      const readers = await Promise.all(
        stage.both.map((side, i) => stage.watch(side, { ...orders, labels, idQuery: '^a', aggregated: i === 0 })),
      );
      const { first, second } = stage;
      await first.create({ ...orders, id: 'a', labels: { size: '5' }, spec: {} });
      await first.create({ ...orders, id: 'b', labels: { size: '5' }, spec: {} });
      await second.change({ ...orders, id: 'a' }, { labels: { size: '6' } });
      await first.change({ ...orders, id: 'a' }, { labels: { size: '11' } });
      await second.change({ ...orders, id: 'a' }, { labels: { size: '12' } });
      await first.change({ ...orders, id: 'a' }, { labels: { size: '1' } });
      await second.destroy({ ...orders, id: 'a' });
      for (const reader of readers) {
        const events = await reader.take(5);
        assert.deepEqual(events.map(textOf), [
          'created a@1',
          'updated a@2',
          'destroyed a@3',
          'created a@5',
          'destroyed a@5',
        ]);
        assert.deepEqual(
          events.map(({ old }) => old?.version),
          [undefined, '1', undefined, undefined, undefined],
        );
      }
    },
  ],
];
