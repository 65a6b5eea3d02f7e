// Examples in Markdown that are checked by programs. An HTML comment right before a fenced block gives it its role:
//
//   <!-- example: first-controller -->   before a ts block: a whole program
//   <!-- output: first-controller -->    before a text block: lines that the program prints, in this order
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { members, root } from '../launch/workspace.mjs';

/** @typedef {{ name: string, file: string, line: number, code: string, output?: string[] }} Example */

const marked = /^<!-- (example|output): ([a-z0-9-]+) -->[ \t]*\n+```(\w*)[^\n]*\n(.*?)^```[ \t]*$/gms;

/**
 * The marked examples of one Markdown text. Throws on a marker without a block, on a name that is given twice, and on
 * an output without its example.
 * @param {string} markdown
 * @param {string} file named in errors
 * @returns {Example[]}
 */
export function readExamples(markdown, file) {
  /** @type {Map<string, Example>} */
  const examples = new Map();
  const text = markdown.replaceAll('\r\n', '\n');
  const markers = text.match(/^<!-- (example|output):/gm) ?? [];
  const blocks = [...text.matchAll(marked)];
  if (markers.length !== blocks.length) {
    throw new Error(
      `${file}: ${markers.length} example and output markers, but ${blocks.length} of them stand right before a fenced block`,
    );
  }
  for (const block of blocks) {
    const [, role = '', name = '', language = '', content = ''] = block;
    const line = text.slice(0, block.index).split('\n').length;
    const known = examples.get(name);
    if (role === 'example') {
      if (known !== undefined) throw new Error(`${file}:${line}: there are two examples ${name}`);
      if (language !== 'ts') throw new Error(`${file}:${line}: example ${name} is not a ts block`);
      examples.set(name, { name, file, line, code: content });
    } else {
      if (known === undefined) throw new Error(`${file}:${line}: output ${name} has no example before it`);
      known.output = content.split('\n').filter((each) => each.trim() !== '');
    }
  }
  return [...examples.values()];
}

/** Every marked example of the READMEs and of docs/. @returns {Example[]} */
export function allExamples() {
  const docs = existsSync(join(root, 'docs')) ? readdirSync(join(root, 'docs')).map((name) => `docs/${name}`) : [];
  return ['README.md', ...docs, ...members().map(({ folder }) => `${folder}/README.md`)]
    .filter((file) => file.endsWith('.md') && existsSync(join(root, file)))
    .flatMap((file) => readExamples(readFileSync(join(root, file), 'utf8'), file));
}

/**
 * The first line of `expected` that `printed` lacks, where the lines must come in this order and others may stand between.
 * @param {readonly string[]} expected
 * @param {readonly string[]} printed
 */
export function missingLine(expected, printed) {
  let from = 0;
  for (const line of expected) {
    const at = printed.findIndex((each, index) => index >= from && each.trimEnd() === line.trimEnd());
    if (at === -1) return line;
    from = at + 1;
  }
  return undefined;
}
