import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Mask } from './mask.js';

describe('Mask', () => {
  it.each([
    [['hunter2'], 'it is hunter2, hunter2!', 'it is ***, ***!'],
    [['abc', 'bcd'], 'xabcdx', 'x***x'],
    [['abc', 'abcdef'], 'abcdef abcde', '*** ***de'],
    [['aa'], 'aaa aa', '*** ***'],
    [['with\nseveral lines'], 'with\nseveral lines; several lines', '***; ***'],
    [['trailing\n'], 'trailing', '***'],
    [['say "no"'], '{"a":"say \\"no\\""}', '{"a":"***"}'],
    [['a/b c'], '?q=a%2Fb%20c', '?q=***'],
    [['{\nlonger line\n}'], '{ longer line }', '{ *** }'],
    [['', ' '], 'nothing to hide', 'nothing to hide'],
    [[], 'nothing to hide', 'nothing to hide'],
    [['žluťoučký'], 'kůň žluťoučký', 'kůň ***'],
  ])('of %j makes of %j %j', (secrets, text, masked) => {
    expect(new Mask(secrets).apply(text)).toBe(masked);
  });

  it('knows what is added later', () => {
    const mask = new Mask(['one']);
    mask.add('two');
    expect(mask.apply('one two')).toBe('*** ***');
  });

  it('masks the same wherever the text is cut, and leaves no secret', () => {
    // Few letters, so that secrets are found, and begin and end in each other.
    const letters = (max: number) => fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: max });
    const secrets = fc.array(letters(5), { minLength: 1, maxLength: 3 });
    const pieces = fc.array(letters(8), { maxLength: 8 });
    fc.assert(
      fc.property(secrets, pieces, (hidden, given) => {
        const mask = new Mask(hidden);
        const stream = mask.stream();
        const out = [...given.map((piece) => stream.push(Buffer.from(piece))), stream.end()];
        const masked = Buffer.concat(out).toString();
        expect(masked).toBe(mask.apply(given.join('')));
        for (const part of masked.split('***')) for (const secret of hidden) expect(part).not.toContain(secret);
      }),
    );
  });

  it('holds back nothing that cannot be the beginning of a secret', () => {
    const stream = new Mask(['secret']).stream();
    expect(stream.push(Buffer.from('a prompt: ')).toString()).toBe('a prompt: ');
    expect(stream.push(Buffer.from('se')).toString()).toBe('');
    expect(stream.push(Buffer.from('lf')).toString()).toBe('self');
  });
});
