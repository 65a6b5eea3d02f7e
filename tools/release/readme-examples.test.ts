import { describe, expect, it } from 'vitest';
import { missingLine, readExamples } from './readme-examples.mjs';

const fence = '```';
const example = `<!-- example: first -->\n${fence}ts\nconsole.log(1);\n${fence}\n`;
const output = `<!-- output: first -->\n${fence}text\none\n\ntwo\n${fence}\n`;

describe('examples in Markdown', () => {
  it('finds the program, where it stands, and what it prints', () => {
    expect(readExamples(`# Title\n\n${example}\nprose\n\n${output}`, 'README.md')).toEqual([
      { name: 'first', file: 'README.md', line: 3, code: 'console.log(1);\n', output: ['one', 'two'] },
    ]);
  });

  it('leaves unmarked blocks alone', () => {
    expect(readExamples(`${fence}ts\nlet x;\n${fence}\n`, 'README.md')).toEqual([]);
  });

  it.each([
    ['a marker without a block', '<!-- example: first -->\nprose\n', /right before a fenced block/],
    ['a name given twice', example + example, /two examples first/],
    ['a program in another language', example.replace('ts', 'sh'), /not a ts block/],
    ['an output without its program', output, /no example before it/],
  ])('refuses %s', (_, markdown, message) => {
    expect(() => readExamples(markdown, 'README.md')).toThrow(message);
  });

  it('asks for the lines in their order, with others between them', () => {
    expect(missingLine(['a', 'b'], ['x', 'a ', 'y', 'b'])).toBeUndefined();
    expect(missingLine(['b', 'a'], ['a', 'b'])).toBe('a');
    expect(missingLine(['a', 'a'], ['a'])).toBe('a');
  });
});
