import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parse, parseDocument, type Scalar, stringify, type YAMLMap } from 'yaml';
import { scalarText } from './scalar-text.js';

function textIn(source: string) {
  const document = parseDocument(source);
  if (document.errors.length > 0) throw document.errors[0];
  return scalarText(source, (document.contents as YAMLMap).get('a', true) as unknown as Scalar.Parsed & Scalar<string>);
}

it.each<[string, string]>([
  ['plain', 'a: x#y Z # comment\n'],
  ['plain on two lines', 'a: x\n   y\n\n   Z\n'],
  ['single quotes', "a: 'it''s\n   Z'\n"],
  ['double quotes', 'a: "\\"\\t\\x41\\u00e9\\U0001F600 \\\n   é Z"\n'],
  ['a block', 'a: |2-  # why\n    x\n   Z\n'],
  ['a folded block', 'b: 1\na: >+\n  x\n  y\n\n    z\n  Z\n\n'],
  ['Windows', 'a: |\r\n  x\r\n  Z\r\n'],
])('finds characters in %s', (_, source) => {
  const { text, at } = textIn(source);
  expect(source[at(text.indexOf('Z'))]).toBe('Z');
  expect(at(0)).toBeLessThan(at(text.length));
});

it('finds every character of every text, in every style, and the end of it', () => {
  const style = fc.constantFrom('PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED');
  const text = fc.string({
    unit: fc.constantFrom('a', 'b ', 'cd', '\n', ' ', "'", '"', '\\', 'é', '😀', ': ', '#', '\t', '${{', '}}'),
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(text, style, fc.integer({ min: 20, max: 60 }), (value, defaultStringType, lineWidth) => {
      const source = stringify({ before: 1, a: value, after: 2 }, { defaultStringType, lineWidth });
      // Not all that is written can be read again as it was, like a block of nothing but white space.
      fc.pre((parse(source) as { a: string }).a === value);
      const found = textIn(source);
      expect(found.text).toBe(value);
      let last = -1;
      for (const [i, character] of value.split('').entries()) {
        const at = found.at(i);
        expect(at).toBeGreaterThanOrEqual(last);
        last = at;
        if (/\s/.test(character)) continue;
        const written = source.slice(at, at + 2);
        // Escapes stand for the character that is looked for.
        expect(
          written[0] === character || written[0] === '\\' || (character >= '\ud800' && character <= '\udfff'),
          written,
        ).toBe(true);
      }
      expect(found.at(value.length)).toBeLessThanOrEqual(source.indexOf('after'));
    }),
  );
}, 30_000);
