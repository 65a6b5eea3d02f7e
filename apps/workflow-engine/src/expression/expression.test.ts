// biome-ignore-all lint/suspicious/noTemplateCurlyInString: one is within an expression
import type { JsonValue } from '@cosi-ts/resource';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExpression, type Scope } from './expression.js';
import { ExpressionError } from './expression-error.js';
import { sourceText } from './source-text.js';

const scope: Scope = {
  inputs: { n: 5, ratio: 0.5, name: 'x', list: [1, 2, 3], none: null, big: 2 ** 53, when: '2026-01-02T03:04:05Z' },
  steps: {
    'build-it': { state: 'succeeded', outputs: { v: 'a', items: [{ a: 1 }, { a: 2 }] } },
    '2nd': { state: 'failed', error: { reason: 'exit', message: 'no', exitCode: 2 } },
    a: { state: 'succeeded', outputs: {} },
  },
  index: 3,
  item: { x: [1], 'y-z': true },
};

function errorOf(action: () => unknown): ExpressionError {
  try {
    action();
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('values of expressions', () => {
  it.each<[string, JsonValue]>([
    ['index + 1', 4],
    ['inputs.n % 2', 1],
    ['inputs.n / 2', 2],
    ['inputs.n / 2.0', 2.5],
    ['inputs.ratio * 100', 50],
    ['100 * inputs.ratio + 1', 51],
    ['1.5 - 1', 0.5],
    ['-inputs.n', -5],
    ['size(inputs.list) == 3', true],
    ['inputs.list[index - 1]', 3],
    ['inputs.n in inputs.list', false],
    ['inputs.big', 2 ** 53],
    ['inputs.list + [4]', [1, 2, 3, 4]],
    ['steps.build-it.outputs.v', 'a'],
    ['steps["build-it"].outputs.v', 'a'],
    ['steps.2nd.error.exitCode', 2],
    ["'steps.build-it' + r'\\'", 'steps.build-it\\'],
    ['steps.build-it.outputs.items.map(x, x.a + 1)', [2, 3]],
    ['steps.build-it.outputs.items.filter(x, x.a > 1)[0].a', 2],
    ['inputs.list.exists(x, x > 2) && !inputs.list.all(x, x > 2)', true],
    ['steps', scope.steps as JsonValue],
    ['item["y-z"] ? "yes" : "no"', 'yes'],
    ['has(inputs.zz) || has(inputs.none)', false],
    ['default(inputs.x.y, 7)', 7],
    ['default(inputs.none, "d")', 'd'],
    ['default(default(inputs.a, inputs.b), inputs.n)', 5],
    ['json.parse("{\\"a\\": [1, 2.5]}").a[0] + 1', 2],
    ['json.stringify({"a": inputs.list})', '{"a":[1,2,3]}'],
    ['range(3)', [0, 1, 2]],
    ['range(2, 5).map(i, "n" + string(i))', ['n2', 'n3', 'n4']],
    ['range(0)', []],
    ['sum(inputs.list)', 6],
    ['sum(inputs.list) + 0.5', 6.5],
    ['[min([3, 1.5]), max(["a", "b"])]', [1.5, 'b']],
    ['flatten([[1], [2, [3]], 4])', [1, 2, [3], 4]],
    ['merge({"a": 1, "b": 1}, {"b": 2})', { a: 1, b: 2 }],
    [
      '{1: true, "__proto__": 2}',
      Object.fromEntries([
        ['1', true],
        ['__proto__', 2],
      ]) as JsonValue,
    ],
    ['inputs.list.join("-") + "ab".split("").join()', '1-2-3ab'],
    ['"  A ".trim().lowerAscii().replace("a", "b")', 'b'],
    ['"%s is %d".format(["x", 1])', 'x is 1'],
    [`shellQuote("it's")`, `'it'\\''s'`],
    ['timestamp(inputs.when) + duration("90s")', '2026-01-02T03:05:35Z'],
    ['timestamp(inputs.when) - timestamp("2026-01-02T03:04:00Z")', '5s'],
    ['uint(3)', 3],
    ['1 + // the first\n 2 // the second', 3],
    ['[1, 2].map(a, [3, 4].filter(b, b > 3).map(c, a + c))', [[5], [6]]],
    ['[[1].map(x, x)].map(y, [y + [2], y + [3], y])', [[[1, 2], [1, 3], [1]]]],
    ['null', null],
  ])('%s', (source, value) => {
    expect(parseExpression(source).evaluate(scope)).toEqual(value);
  });

  it('are those of JSON again, whatever comes in', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.parse(JSON.stringify(value)) as JsonValue;
        expect(parseExpression('item').evaluate({ item: json })).toEqual(json);
        expect(parseExpression('[item][0] == item').evaluate({ item: json })).toBe(true);
      }),
    );
  });
});

describe('expressions that have no value', () => {
  it.each<[string, string, number]>([
    ['inputs.zz', 'inputs has no zz', 7],
    ['inputs.constructor', 'inputs has no constructor', 7],
    ['inputs.n + inputs.n.x.y', 'inputs.n has no x', 20],
    ['foo', 'foo is not known here', 0],
    ['inputs.name + 1', '+ is not there for string and int: write string(…) to make a text of the other', 12],
    ['"a" > 1', '> is not there for string and int', 4],
    ['inputs.list[7]', 'there is nothing at the index 7', 11],
    ['1 / 0', 'this divides by zero', 2],
    ['inputs.n ? 1 : 2', 'before ? there must be a bool, and not an int', 9],
    ['size(1)', 'size cannot be called with (int)', 4],
    ['int("x")', '"x" is no whole number', 3],
    ['json.parse("{")', 'this is no JSON: ', 10],
    ['range(1000000000)', 'range gives at most 1000000 numbers', 5],
    ['9007199254740993', '9007199254740993 is too large for a number of JSON: write string(…) or double(…)', 0],
    ['1.0 / 0', 'Infinity is no number that JSON can hold', 0],
    ['[type(1)]', 'the type int cannot be held by JSON: compare it with ==', 0],
    ['b"abc"', 'bytes cannot be held by JSON: write string(…) for the text of them', 0],
    ['{1: "a", "1": 2}', 'the map has two keys that are 1 as text', 0],
    ['max([])', 'max of an empty list is nothing', 3],
    ['sum(["a"])', 'sum takes a list of numbers', 3],
  ])('%s: %s', (source, reason) => {
    const error = errorOf(() => parseExpression(source).evaluate(scope));
    expect(error.reason.startsWith(reason), error.reason).toBe(true);
    expect(error.message).toContain(source);
  });
});

describe('expressions that cannot be read', () => {
  it.each<[string, string, number]>([
    ['', 'there is no expression here', 0],
    ['1 + ', 'the expression ends where a value should follow', 3],
    ['"é😀" + )', ') is where a value should be', 8],
    ['a and b', 'and is no operator: write &&', 2],
    ['not a', 'not is no operator: write !', 0],
    ['a = b', '= is no operator: write == to compare', 2],
    ['a === b', '=== is no operator: write ==', 2],
    ['a & b', '& is no operator: write && for "and"', 2],
    ['a b', 'b is where an operator should be', 2],
    ['size(x) > 0 && size(y > 3', 'the expression ends where an operator, or ) for the ( before should follow', 25],
    ['[1, 2', 'the expression ends where an operator, or ] for the [ before should follow', 5],
    ['{"a" 1}', '1 is where : and a value for the key "a" should be', 5],
    ['a ? b', 'the expression ends where an operator, or : for the ? before should follow', 5],
    ['f(1,)', ') is where a value should be', 4],
    ["x + 'abc", "the text that begins here has no ' at its end", 4],
    [
      "'\\d'",
      `\\d means nothing in a text: write \\\\ for a backslash, or put r before ' so that no backslash means anything`,
      1,
    ],
    [
      '1 + 99999999999999999999',
      '99999999999999999999 is too large for a whole number: write 99999999999999999999.0',
      4,
    ],
    ['!-inputs.n', '- cannot follow !: write !(-…)', 1],
    ['a.in', "in is a word of CEL: write ['in'] for the field", 1],
    ['for + 1', 'for is a word that CEL keeps for itself', 0],
    ['Point{x: 1}', "a map has no name before it: write {'key': value}", 0],
    ['1 + ${{ a }}', 'an expression cannot be within an expression: write what it refers to without $', 4],
    ['1 + jsn.parse("x")', 'there is no function parse', 8],
    ['size(1, 2)', 'size takes 1 argument, not 2', 0],
    ['x.substring()', 'substring takes 1 or 2 arguments, not 0', 2],
    ['x.trim(1)', 'trim takes nothing, not 1', 2],
    ['split(x, ",")', 'split is called on a value: write value.split(…)', 0],
    ['x.range()', 'range is not called on a value: write range(…)', 2],
    ['json.parse()', 'json.parse takes 1 argument, not 0', 5],
    ['always()', 'there is no function always: write on: always for the step', 0],
    ['inputs.a.length()', 'there is no function length: write size', 9],
    ['inputs.a.constructor()', 'there is no function constructor', 9],
    ['siz(x)', 'there is no function siz; did you mean size?', 0],
    ['inputs.list.mapp(x, x)', 'there is no function mapp; did you mean map?', 12],
    [
      'inputs.list.map(1, 2)',
      'map is called on a list, with a name for its items and what is asked of each: list.map(item, …)',
      12,
    ],
    ['has(x)', 'has takes a field: has(inputs.name)', 0],
    ['default(x)', 'default takes a value and what is used when there is none: default(value, other)', 0],
  ])('%s: %s', (source, reason, index) => {
    const error = errorOf(() => parseExpression(sourceText(source, 1000)));
    expect({ reason: error.reason, offset: error.offset }).toEqual({ reason, offset: 1000 + index });
  });
});

it.each([
  ['too long', `1${' + 1'.repeat(1000)}`, 'the expression is too long: make two steps of it, or a function', 4000],
  ['too deep', `${'('.repeat(300)}1${')'.repeat(300)}`, 'this is nested too deeply', 200],
])('refuses expressions that are %s', (_, source, reason, offset) => {
  expect(errorOf(() => parseExpression(source))).toMatchObject({ reason, offset });
});

it('tells what is compared with constants', () => {
  const source = `steps.a.state == 'x' || 'y' != inputs.b || inputs.c in [1, null, inputs.d] || inputs.e == inputs.f`;
  const { comparisons } = parseExpression(sourceText(source, 100));
  expect(
    comparisons.map(({ reference, value, offset }) => [[reference.root, ...reference.path].join('.'), value, offset]),
  ).toEqual([
    ['steps.a.state', 'x', 117],
    ['inputs.b', 'y', 124],
    ['inputs.c', 1, 156],
    ['inputs.c', null, 159],
  ]);
});

describe('references', () => {
  const namesIn = (source: string) =>
    parseExpression(sourceText(source, 100)).references.map(
      ({ root, path, offset, pathOffsets }) => `${[root, ...path].join('.')} ${[offset, ...pathOffsets].join(' ')}`,
    );

  it('are told with the place of each part', () => {
    expect(namesIn('1 + steps.build-it.outputs["a"].b[0].c')).toEqual([
      'steps.build-it.outputs.a.b 104 110 119 127 132',
    ]);
    expect(namesIn('inputs[item.name]')).toEqual(['inputs 100', 'item.name 107 112']);
    expect(namesIn('default(inputs.a, run.id)')).toEqual(['inputs.a 108 115', 'run.id 118 122']);
  });

  it('are neither variables of macros nor names of functions', () => {
    expect(namesIn('inputs.list.map(steps, steps.x + index).size() + size(json.parse(item))')).toEqual([
      'inputs.list 100 107',
      'index 133',
      'item 165',
    ]);
  });
});

it('does not parse again: a definition is shared by many executions', () => {
  const expression = parseExpression('steps.list.outputs.items[index].name + "-" + string(index)');
  const items = Array.from({ length: 10_000 }, (_, i) => ({ name: `n${i}` }));
  const steps = { list: { state: 'succeeded', outputs: { items } } };
  const startedAt = performance.now();
  for (let index = 0; index < items.length; index++) {
    if (expression.evaluate({ steps, index }) !== `n${index}-${index}`) throw new Error(`wrong at ${index}`);
  }
  // Some 40 ms where nothing else runs. Reading the list for each of them would take a minute.
  expect(performance.now() - startedAt).toBeLessThan(5000);
}, 30_000);

it('makes long lists of long lists', () => {
  const items = Array.from({ length: 20_000 }, (_, a) => ({ a }));
  const source = 'sum(item.filter(x, x.a > 0).map(x, x.a + 1).map(x, x > 5, x))';
  expect(parseExpression(source).evaluate({ item: items })).toBe(200_010_000 - 15);
});

it('gives lists as long as range makes them', () => {
  expect(parseExpression('range(1000000)').evaluate({})).toHaveLength(1_000_000);
}, 30_000);

const tooMuch = 'this takes too long: work on less, or let a script or a function do it';

it.each([
  'range(10000).map(a, range(10000).map(b, a + b))',
  'range(10000).all(a, range(10000).all(b, a + b >= 0))',
  'range(100000).exists(a, range(100000).exists_one(b, false))',
  'range(10000).map(a, sum(range(10000)))',
  'range(10000).filter(a, -1 in item)',
  'range(10000).map(a, item.join())',
  'range(10000).map(a, max(item))',
  'range(10000).map(a, flatten([item, item]))',
])(
  'ends what would take too long: %s',
  (source) => {
    const item = Array.from({ length: 10_000 }, (_, i) => i);
    expect(errorOf(() => parseExpression(source).evaluate({ item })).reason).toBe(tooMuch);
  },
  30_000,
);

describe('what a short expression makes very large', () => {
  const doubled = (of: string, times: number) => `[${of}]${'.map(a, a + a)'.repeat(times)}[0]`;
  const nested = `[[1]]${'.map(a, [a, a])'.repeat(40)}`;

  it.each([
    ['a list', doubled('[1]', 45)],
    ['loops over it', `${doubled('[1]', 45)}.map(x, x)`],
    ['equality of two', `${doubled('[1]', 45)} == ${doubled('[1]', 45)}`],
    ['a list of lists', nested],
    ['equality of lists of lists', `${nested} == ${nested}`],
    ['one of them in another', `${nested} in [${nested}]`],
    ['the text of it', `json.stringify(${nested})`],
    ['a format of it', `'%s'.format([${nested}])`],
    ['a text', `size(${doubled("'x'", 27)})`],
    ['replacements', `'${'a'.repeat(1000)}'.replace('', '${'b'.repeat(1000)}').replace('', '${'c'.repeat(1000)}')`],
  ])(
    '%s is an error',
    (_, source) => {
      expect(errorOf(() => parseExpression(source).evaluate({})).reason).toBe(tooMuch);
    },
    30_000,
  );

  it.each([
    'item + "b" == item + "c"',
    'item.contains("b")',
    'item.startsWith(item)',
    'item.split("a") == []',
    'item.upperAscii() == ""',
    'item.replace("a", "bb") == ""',
    'item.matches("(a|aa)*b")',
    'size(item) == 1',
    'strings.quote(item) == ""',
    '"%s".format([item]) == ""',
    'json.stringify(item) == ""',
  ])(
    'a text that is looked at again and again is one: %s',
    (source) => {
      const expression = parseExpression(`range(400000).filter(i, ${source})`);
      expect(errorOf(() => expression.evaluate({ item: 'a'.repeat(1_000_000) })).reason).toBe(tooMuch);
    },
    30_000,
  );

  it('is nothing while nobody looks at it', () => {
    expect(parseExpression(`size(${doubled('[1]', 45)})`).evaluate({})).toBe(2 ** 45);
  });
});

it('does with defaults within each other what they say, and each once', () => {
  const source = `${'default('.repeat(90)}item.missing${', null)'.repeat(89)}, 7)`;
  expect(parseExpression(source).evaluate({ item: {} })).toBe(7);
});

it.each([
  ["'aXbXc'.replace('X', '--')", 'a--b--c'],
  ["'aXbXc'.replace('X', '--', 1)", 'a--bXc'],
  ["'aXbXc'.replace('X', '--', 0)", 'aXbXc'],
  ["'aXbXc'.replace('X', '--', -1)", 'a--b--c'],
  ["'aXb'.replace('X', '$&')", 'a$&b'],
  ["'abc'.replace('', '-')", '-a-b-c-'],
  ["'abc'.replace('', '-', 2)", '-a-bc'],
  ["'aaa'.replace('a', 'aa')", 'aaaaaa'],
])('replaces as CEL does: %s', (source, value) => {
  expect(parseExpression(source).evaluate({})).toBe(value);
});

it('shows the beginning of a value that is wrong', () => {
  const { reason } = errorOf(() => parseExpression('int(item)').evaluate({ item: 'a'.repeat(1_000_000) }));
  expect(reason).toMatch(/^"a{400}/);
  expect(reason.length).toBeLessThan(600);
});
