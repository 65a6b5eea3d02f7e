import { type LabelQueryInput, type LabelTerm, label } from '@cosi-ts/resource';
import { equal, rejectsWith } from '../assertions.js';
import type { StateSuite } from '../state-suite.js';
import type { StateTest } from '../state-test.js';

const labelled: Readonly<Record<string, Record<string, string>>> = {
  bare: {},
  blank: { tier: '', size: '' },
  db: { tier: 'db', size: '8 GiB' },
  odd: { tier: 'Web', size: 'large' },
  web1: { tier: 'web', size: '500', zone: 'a' },
  web2: { tier: 'web', size: '-2k', zone: 'b' },
};

const term = (key: string, op: LabelTerm['op'], value: readonly string[], invert = false): LabelTerm => ({
  key,
  op,
  value,
  invert,
});

/** Queries and the ids that match, each a clause of R13. */
const table: readonly [name: string, query: LabelQueryInput, ids: readonly string[]][] = [
  ['exists', [label('zone').exists()], ['web1', 'web2']],
  ['does not exist', [label('zone').absent()], ['bare', 'blank', 'db', 'odd']],
  ['equal', [label('tier').is('web')], ['web1', 'web2']],
  ['equal to an empty text', [label('tier').is('')], ['blank']],
  ['not equal, a missing label included', [label('tier').isNot('web')], ['bare', 'blank', 'db', 'odd']],
  ['in', [label('tier').in(['db', 'Web'])], ['db', 'odd']],
  ['not in, a missing label included', [label('tier').notIn(['db', 'Web'])], ['bare', 'blank', 'web1', 'web2']],
  ['less than, in the order of bytes', [label('tier').lessThan('db')], ['blank', 'odd']],
  ['at most', [label('tier').atMost('db')], ['blank', 'db', 'odd']],
  ['greater than, a missing label excluded', [label('tier').greaterThan('db')], ['web1', 'web2']],
  ['at least, a missing label excluded', [label('tier').atLeast('db')], ['db', 'web1', 'web2']],
  ['a number less than', [label('size').lessThanNumeric(500)], ['web2']],
  ['a number at most', [label('size').atMostNumeric(500)], ['web1', 'web2']],
  ['a number greater than, with units', [label('size').greaterThanNumeric('8000m')], ['db']],
  ['a number at least, with units of 1024', [label('size').atLeastNumeric('8192 Mi')], ['db']],
  ['a number compared with no number', [label('size').lessThanNumeric('many')], []],
  ['a number compared with no number, inverted', [label('size').atLeastNumeric('many')], []],
  ['all of several terms', [label('tier').is('web'), label('zone').is('b')], ['web2']],
  ['one of several queries', [[label('tier').is('db')], [label('zone').is('a')]], ['db', 'web1']],
  ['several queries that both match', [[label('tier').is('web')], [label('zone').exists()]], ['web1', 'web2']],
  ['a query without terms beside another', [[label('tier').is('db')], []], Object.keys(labelled)],
  ['an empty list of queries', [], Object.keys(labelled)],
  ['in without values', [term('tier', 'in', [])], []],
  ['in without values, inverted', [term('tier', 'in', [], true)], Object.keys(labelled)],
  ['equal without a value', [term('tier', 'equal', [])], []],
  ['equal without a value, inverted', [term('tier', 'equal', [], true)], Object.keys(labelled)],
  ['less than without a value, inverted', [term('zone', 'lt', [], true)], ['web1', 'web2']],
  ['a number without a value, inverted', [term('zone', 'ltNumeric', [], true)], ['web1', 'web2']],
];

async function fill(t: StateTest): Promise<void> {
  for (const [id, labels] of Object.entries(labelled)) await t.create(id, 1, { labels });
}

async function matching(t: StateTest, options: Parameters<StateTest['core']['list']>[1]): Promise<readonly string[]> {
  return (await t.core.list(t.kind, options)).map(({ metadata }) => metadata.id);
}

export function queryTests(suite: StateSuite): void {
  if (suite.features.labelQueries) labelTests(suite);
  if (suite.features.idQueries) idTests(suite);
}

function labelTests({ it, features }: StateSuite): void {
  for (const [name, labels, ids] of table) {
    it(`S3, R13: a list by labels: ${name}`, async (t) => {
      await fill(t);
      equal(await matching(t, { labels }), ids, 'the ids that match');
    });
  }

  const huge = `1${'0'.repeat(30)}`;
  it('R13: numbers beyond 64 bits are compared exactly, if at all', async (t) => {
    await t.create('huge', 1, { labels: { size: huge } });
    await t.create('more', 1, { labels: { size: `${huge.slice(0, -1)}1` } });
    const matched = await matching(t, { labels: [label('size').greaterThanNumeric(huge)] });
    equal(matched, features.exactNumbers ? ['more'] : [], 'the ids that match');
  });

  it('S3, R13: lists by labels follow what is stored now', async (t) => {
    const web = { labels: [label('tier').is('web')] };
    const a = await t.create('a', 1, { labels: { tier: 'web' } });
    const b = await t.create('b', 1, { labels: { tier: 'db' } });
    await t.create('c', 1, { labels: { tier: 'web' } });
    equal(await matching(t, web), ['a', 'c'], 'the ids at first');
    await t.change(b, { labels: { tier: 'web', more: 'yes' } });
    await t.change(a, { labels: { more: 'yes' } });
    equal(await matching(t, web), ['b', 'c'], 'the ids after updates of labels');
    await t.core.destroy(t.at('c'));
    await t.create('aa', 1, { labels: { tier: 'web' } });
    equal(await matching(t, web), ['aa', 'b'], 'the ids after a destroy and a create');
    await t.create('c', 1, { labels: { tier: 'none' } });
    equal(await matching(t, web), ['aa', 'b'], 'the ids after one came back without the label');
  });

  it('R13: labels with the names of inherited properties are labels like others', async (t) => {
    await t.create('a', 1, { labels: { constructor: 'x' } });
    await t.create('b');
    equal(await matching(t, { labels: [label('constructor').exists()] }), ['a'], 'the ids that match');
    equal(await matching(t, { labels: [label('toString').absent()] }), ['a', 'b'], 'the ids without another such name');
  });

  for (const call of ['list', 'watchKind', 'watchKindAggregated'] as const) {
    it(`R13, W1: ${call} rejects what is no label query with invalid-argument`, async (t) => {
      for (const labels of [{ tier: 'web' }, 'tier', [label('tier').is('web'), []]]) {
        const rejected = t.core[call](t.kind, { labels: labels as never });
        await rejectsWith(rejected, 'invalid-argument', `${call} with the labels ${JSON.stringify(labels)}`);
      }
    });

    it(`R13, W1: ${call} rejects an unknown label operation with unsupported`, async (t) => {
      const labels = [term('tier', 'matches' as 'equal', ['web'])];
      await rejectsWith(t.core[call](t.kind, { labels }), 'unsupported', `${call} with an unknown operation`);
    });
  }
}

function idTests({ it, features }: StateSuite): void {
  const ids = ['10', 'Web-1', 'a.b', 'axb', 'web-1', 'web-2', 'ünïcode'];
  const patterns: readonly [pattern: string, ids: readonly string[]][] = [
    ['b-1', ['Web-1', 'web-1']],
    ['^web', ['web-1', 'web-2']],
    ['^b', []],
    ['1$', ['Web-1', 'web-1']],
    ['a\\.b', ['a.b']],
    ['a.b', ['a.b', 'axb']],
    ['(?i)^WEB-1$', ['Web-1', 'web-1']],
    ['^[0-9]+$', ['10']],
    ['^.n.code$', ['ünïcode']],
    ['', ids],
    ['(a+)+$', []],
    ['\\Aweb-(1|2)\\z', ['web-1', 'web-2']],
  ];
  for (const [id, expected] of patterns) {
    it(`S3, R14: a list by id pattern ${JSON.stringify(id)}`, async (t) => {
      for (const each of ids) await t.create(each);
      equal(await matching(t, { id }), expected, 'the ids that match');
    });
  }

  it('R14: a pattern runs in linear time', async (t) => {
    await t.create(`${'a'.repeat(200)}!`);
    equal(await matching(t, { id: '^(a|aa)+$' }), [], 'the ids that match');
    equal(await matching(t, { id: '^(a*)*b$' }), [], 'the ids that match');
  });

  const bad = ['(', '[a', 'a**', '(?=a)', '\\1', 'a{2000}'];
  for (const call of ['list', 'watchKind', 'watchKindAggregated'] as const) {
    it(`R14, W1: ${call} rejects a bad pattern with invalid-argument`, async (t) => {
      await t.create('a');
      for (const id of [...bad, 7 as unknown as string]) {
        await rejectsWith(t.core[call](t.kind, { id }), 'invalid-argument', `${call} with the pattern ${id}`);
      }
    });
  }

  if (!features.labelQueries) return;
  it('S3: labels and id must both match', async (t) => {
    await t.create('web-1', 1, { labels: { tier: 'web' } });
    await t.create('web-2', 1, { labels: { tier: 'db' } });
    await t.create('db-1', 1, { labels: { tier: 'web' } });
    equal(await matching(t, { labels: [label('tier').is('web')], id: '^web' }), ['web-1'], 'the ids that match');
  });
}
