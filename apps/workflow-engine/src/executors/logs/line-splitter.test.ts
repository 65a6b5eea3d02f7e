import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter, type SplitLine } from './line-splitter.js';

function split(pieces: readonly Buffer[], maxBytes = 8): SplitLine[] {
  const splitter = new LineSplitter(maxBytes);
  return [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()];
}

const whole = (text: string): SplitLine => ({ text, goesOn: false });
const part = (text: string): SplitLine => ({ text, goesOn: true });

describe('LineSplitter', () => {
  it.each<[string, SplitLine[]]>([
    ['', []],
    ['a\nb\n', [whole('a'), whole('b')]],
    ['a\n\nb', [whole('a'), whole(''), whole('b')]],
    ['a\r\nb\rc\n', [whole('a'), whole('b\rc')]],
    ['12345678\n', [whole('12345678')]],
    ['123456789\n', [part('12345678'), whole('9')]],
    ['1234567890123456789', [part('12345678'), part('90123456'), whole('789')]],
    ['1234567ěš\n', [part('1234567'), whole('ěš')]],
    ['123456😀\n', [part('123456'), whole('😀')]],
  ])('makes of %j %j', (text, lines) => {
    expect(split([Buffer.from(text)])).toEqual(lines);
  });

  it('shows bytes that are no text', () => {
    expect(split([Buffer.from([0xff, 0x0a, 0x80, 0x80])])).toEqual([whole('\ufffd'), whole('\ufffd\ufffd')]);
  });

  it('cuts bytes that are no text where it must', () => {
    expect(split([Buffer.alloc(20, 0x80)])).toHaveLength(3);
  });

  it('makes the same lines wherever the bytes are cut, and loses nothing', () => {
    const piece = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'ě', '😀', '\n', '\r'), maxLength: 30 }).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
    );
    fc.assert(
      fc.property(fc.array(piece), fc.nat(), (pieces, at) => {
        const all = Buffer.concat(pieces);
        const cut = at % (all.length + 1);
        const lines = split([all]);
        expect(split(pieces)).toEqual(lines);
        expect(split([all.subarray(0, cut), all.subarray(cut)])).toEqual(lines);
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
        const text = texts.map((line) => line.replaceAll(/[\r\n]/g, '')).join('\n');
        const lines = split([Buffer.from(`${text}\n`)]);
        expect(lines.map((line) => (line.goesOn ? line.text : `${line.text}\n`)).join('')).toBe(`${text}\n`);
      }),
    );
  });
});
