import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { JsonValue } from './frozen-data.js';
import { specYaml, untypedYaml } from './spec-yaml.js';

describe('specYaml', () => {
  it('R15: prints four columns to a level, and lists in mappings one level in', () => {
    const spec = {
      a: { b: { c: 1 } },
      list: ['x', { k: 1, deep: { z: [true] } }, ['y', ['z']], [], {}],
      none: null,
      empty: {},
      no: [],
    };
    expect(specYaml(spec)).toBe(`a:
    b:
        c: 1
list:
    - x
    - k: 1
      deep:
        z:
            - true
    - - "y"
      - - z
    - []
    - {}
none: null
empty: {}
"no": []
`);
    expect(parse(specYaml(spec))).toEqual(spec);
  });

  it('R15: texts of any length and any mixture are read back as they are', () => {
    const long = { text: 'x'.repeat(20_000_000) };
    expect(specYaml(long)).toBe(`text: ${long.text}\n`);
    const parts = ['a', 'true', '1', ' ', ':', ',', '.', '/', '-', '#', '_'];
    for (const a of parts) {
      for (const b of parts) {
        for (const c of parts) {
          const spec = { [`k${a}${b}${c}`]: `x${a}${b}${c}`, [`${a}${b}`]: `${b}${c}${a}`, n: `n${a}` };
          expect(parse(specYaml(spec))).toEqual(spec);
        }
      }
    }
  });

  it('R15: an empty spec is a pair of braces', () => {
    expect(specYaml({})).toBe('{}\n');
  });

  it.each<[JsonValue, string]>([
    ['text', 'text'],
    ['two words', 'two words'],
    ['', '""'],
    ['1', '"1"'],
    ['1_000', '"1_000"'],
    ['0x1F', '"0x1F"'],
    ['.5', '".5"'],
    ['-.inf', '"-.inf"'],
    ['1:30', '"1:30"'],
    ['2024-01-01', '"2024-01-01"'],
    ['2024-01-01 10:20:30', '"2024-01-01 10:20:30"'],
    ['true', '"true"'],
    ['No', '"No"'],
    ['off', '"off"'],
    ['~', '"~"'],
    ['<<', '"<<"'],
    ['1.2.3', '1.2.3'],
    ['v1', 'v1'],
    ['{.power}', "'{.power}'"],
    ["it's", "it's"],
    ["'quoted'", "'''quoted'''"],
    ['a: b', "'a: b'"],
    ['a:b', 'a:b'],
    ['# a', "'# a'"],
    ['- a', "'- a'"],
    ['-a', '-a'],
    [' a', "' a'"],
    ['tab\there', '"tab\\there"'],
    ['bell\u0007 \u0085 \u2028 \u2029 \u007f \u009f', '"bell\\a \\N \\L \\P \\x7F \\x9F"'],
    ['\u{1f642}', '"\\U0001F642"'],
    ['\ufeff', '"\\uFEFF"'],
    ['é\u00a0日', 'é\u00a0日'],
    ['one\ntwo', '|-\n    one\n    two'],
    ['one\n\ntwo\n', '|\n    one\n\n    two'],
    ['one\n\n', '|+\n    one\n'],
    ['  one\ntwo', '|4-\n      one\n    two'],
    ['one \ntwo', '"one \\ntwo"'],
    ['one\r\ntwo', '"one\\r\\ntwo"'],
    ['\n\n', '"\\n\\n"'],
    [1.5, '1.5'],
    [-0, '-0'],
    [1e21, '1e+21'],
    [2 ** 53, '9.007199254740992e+15'],
    [2 ** 53 - 1, '9007199254740991'],
    [false, 'false'],
  ])('R15: %j is written in the plainest form that stays what it is', (value, text) => {
    expect(specYaml({ k: value })).toBe(`k: ${text}\n`);
  });

  it('R15: a block in a list is indented from its dash', () => {
    expect(specYaml({ k: [' a\nb'] })).toBe('k:\n    - |2-\n       a\n      b\n');
    expect(parse(specYaml({ k: [' a\nb'] }))).toEqual({ k: [' a\nb'] });
  });

  it('R15: keys are quoted as texts are, and long ones get a line of their own', () => {
    const long = 'k'.repeat(129);
    const spec = { on: 1, '': 2, 'a: b': 3, [long]: { x: 1 }, 'two\nlines': [1], é: 4 };
    expect(specYaml(spec)).toBe(
      `"on": 1\n"": 2\n'a: b': 3\n? ${long}\n:\n    x: 1\n? |-\n    two\n    lines\n:\n    - 1\né: 4\n`,
    );
    expect(parse(specYaml(spec))).toEqual(spec);
    expect(specYaml({ ['é'.repeat(64)]: 1 })).toMatch(/^é+: 1\n$/);
    expect(specYaml({ ['é'.repeat(65)]: 1 })).toMatch(/^\? é+\n: 1\n$/);
  });
});

describe('untypedYaml', () => {
  it('R15: writes texts plain, whatever YAML would make of them, in the order of the entries', () => {
    const data = new Map<string, string | readonly string[]>([
      ['10', 'true'],
      ['9', ''],
      ['', '0x10'],
      ['list', ['', '1', '~']],
    ]);
    expect(untypedYaml(data)).toBe("10: true\n9:\n'': 0x10\nlist:\n    -\n    - 1\n    - ~\n");
  });
});
