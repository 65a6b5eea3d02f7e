import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutputError, parseOutputs } from './output-file.js';

const parse = (text: string) => parseOutputs(new TextEncoder().encode(text));

describe('parseOutputs', () => {
  it.each<[string, unknown]>([
    ['', {}],
    ['\n \n', {}],
    ['a=1\n', { a: '1' }],
    ['a=1', { a: '1' }],
    ['a=\n', { a: '' }],
    ['a= x=y \n', { a: ' x=y ' }],
    ['a=1\nb-2=x\na=3\n', { a: '3', 'b-2': 'x' }],
    ['a<<EOF\none\n\ntwo\nEOF\nb=1\n', { a: 'one\n\ntwo', b: '1' }],
    ['a<<EOF\nEOF\n', { a: '' }],
    ['a<<EOF\n\n\nEOF', { a: '\n' }],
    ['a<< the end \nb=1\n the end \n', { a: 'b=1' }],
    ['a=<<EOF\n', { a: '<<EOF' }],
    ['a:={"b":[1,true,null]}\n', { a: { b: [1, true, null] } }],
    ['a:= 12 \n', { a: 12 }],
    ['a:=<<EOF\n{\n  "b": 1\n}\nEOF\n', { a: { b: 1 } }],
    ['__proto__=1\n', Object.fromEntries([['__proto__', '1']])],
  ])('reads %j as %j', (text, outputs) => {
    expect(parse(text)).toEqual(outputs);
  });

  it.each([
    ['a\n', 'line 1 of the outputs is not of the form name=value: "a"'],
    ['a=1\n\n2b=1\n', 'line 3 of the outputs is not of the form name=value: "2b=1"'],
    ['a b=1', 'line 1 of the outputs is not of the form name=value: "a b=1"'],
    ['a<<\n', 'line 1 of the outputs: after << there is no text that ends it'],
    ['b=1\na<<EOF\ntext\n EOF\n', 'line 2 of the outputs: no line "EOF" ends a'],
    ['a:={\n', 'line 1 of the outputs: a is not JSON: '],
    ['a:=\n', 'line 1 of the outputs: a is not JSON: '],
    [`${'x'.repeat(100)}\n`, `line 1 of the outputs is not of the form name=value: "${'x'.repeat(80)}…"`],
  ])('refuses %j', (text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  it('refuses what is not UTF-8, and says where', () => {
    expect(() => parseOutputs(Uint8Array.of(0x61, 0x3d, 0x31, 0x0a, 0x62, 0x3d, 0xff))).toThrow(
      'line 2 of the outputs is not UTF-8',
    );
  });

  const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,8}$/);
  const oneLine = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', ' '));
  const output = fc.oneof(
    fc.tuple(name, oneLine).map(([key, value]) => ({ key, value, text: `${key}=${value}` })),
    fc.tuple(name, fc.array(oneLine)).map(([key, lines]) => {
      const end = lines.reduce((mark, line) => (line.startsWith(mark) ? `${line}.` : mark), 'END');
      const taken = lines.includes(end) ? `${lines.join('')}END` : end;
      return { key, value: lines.join('\n'), text: `${key}<<${taken}\n${lines.map((l) => `${l}\n`).join('')}${taken}` };
    }),
    fc.tuple(name, fc.jsonValue()).map(([key, json]) => {
      const text = JSON.stringify(json);
      return { key, value: JSON.parse(text), text: `${key}:=${text}` };
    }),
    fc.tuple(name, fc.jsonValue()).map(([key, json]) => {
      const text = JSON.stringify(json, null, 2);
      return { key, value: JSON.parse(text), text: `${key}:=<<~~~\n${text}\n~~~` };
    }),
  );

  it('reads what was written in any of the forms', () => {
    fc.assert(
      fc.property(fc.array(output), fc.boolean(), (outputs, ended) => {
        const text = outputs.map((one) => one.text).join('\n') + (ended ? '\n' : '');
        expect(parse(text)).toEqual(Object.fromEntries(outputs.map(({ key, value }) => [key, value])));
      }),
    );
  });

  it('gives outputs or an OutputError for any bytes', () => {
    const bytes = fc.oneof(
      fc.uint8Array(),
      fc
        .string({ unit: fc.constantFrom('a', '=', '<', ':', '\n', '{', '}', '"', ' ') })
        .map((t) => new TextEncoder().encode(t)),
    );
    fc.assert(
      fc.property(bytes, (given) => {
        try {
          expect(parseOutputs(given)).toBeTypeOf('object');
        } catch (error) {
          expect(error).toBeInstanceOf(OutputError);
        }
      }),
    );
  });
});
