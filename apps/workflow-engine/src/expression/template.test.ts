// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are what templates are made of
import type { JsonValue } from '@cosi-ts/resource';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExpressionError } from './expression-error.js';
import { sourceText } from './source-text.js';
import { parseTemplate, templateOf } from './template.js';

const scope = { inputs: { n: 5, o: { a: [1, null] }, x: null, t: 'text' } };

describe('a template', () => {
  it.each<[JsonValue, JsonValue]>([
    ['${{ inputs.o }}', { a: [1, null] }],
    [' ${{ inputs.o }}\n', { a: [1, null] }],
    ['${{ inputs.n }}', 5],
    ['a ${{ inputs.n }} b ${{inputs.o}}${{inputs.x}}.', 'a 5 b {"a":[1,null]}.'],
    ['${{ inputs.t }}${{ inputs.n }}', 'text5'],
    ["${{ {'a': {'b': 1}} }}", { a: { b: 1 } }],
    ["${{ '}}' }}${{ r'\\' }}${{ '''a'}}''' }}", "}}\\a'}}"],
    ["${{ '${{' }}", '${{'],
    ['$${{ 1 }} ${HOME} $(ls) {{ x }}', '$1 ${HOME} $(ls) {{ x }}'],
    [{ a: ['${{ inputs.n }}', 1, { b: 'c', d: null }] }, { a: [5, 1, { b: 'c', d: null }] }],
  ])('%j is %j', (source, value) => {
    const template = templateOf(source);
    expect(template.evaluate(scope)).toEqual(value);
    expect(template.source).toEqual(source);
  });

  it('of plain values is those values', () => {
    const plain = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);
    fc.assert(
      fc.property(plain, (value) => {
        fc.pre(!JSON.stringify(value).includes('${{'));
        const template = templateOf(value);
        expect(template.expressions).toEqual([]);
        expect(template.evaluate({})).toEqual(value);
      }),
    );
  });

  it('puts texts in as they are, wherever they stand', () => {
    const plain = fc.string().filter((text) => !text.includes('$') && text.trim() !== '');
    fc.assert(
      fc.property(plain, fc.string(), plain, (before, value, after) => {
        expect(templateOf(`${before}\${{ item }}${after}`).evaluate({ item: value })).toBe(before + value + after);
      }),
    );
  });

  it.each<[string, [string, number][]]>([
    ['a ${{ inputs.n', [['the expression that begins here has no }} at its end', 2]]],
    ['${{ }}', [['there is no expression here', 4]]],
    [
      'x ${{ 1 + }} ${{ 2 * }}',
      [
        ['the expression ends where a value should follow', 9],
        ['the expression ends where a value should follow', 20],
      ],
    ],
    ["${{ 'a }} b", [["the text that begins here has no ' at its end", 4]]],
  ])('%s tells every mistake', (source, mistakes) => {
    const errors: ExpressionError[] = [];
    parseTemplate({ kind: 'text', text: sourceText(source) }, (error) => void errors.push(error));
    expect(errors.map(({ reason, offset }) => [reason, offset])).toEqual(mistakes);
  });
});
