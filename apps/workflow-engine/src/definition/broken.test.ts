import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseDefinition } from './parse-definition.js';
import { problemLine } from './problem.js';

const folder = `${import.meta.dirname}/testdata/broken`;
const files = readdirSync(folder);

/** The comments at the beginning of a file say all that is wrong with it, as it is told. */
function expected(source: string): string[] {
  const lines = source.split('\n');
  const comments = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('#')),
  );
  return comments.map((line) => line.slice(2)).filter((line) => line !== 'The schema accepts it.');
}

describe('broken definitions', () => {
  it('are many', () => {
    expect(files.length).toBeGreaterThanOrEqual(35);
  });

  it.each(files)('%s', (file) => {
    const source = readFileSync(`${folder}/${file}`, 'utf8');
    const { problems = [] } = parseDefinition(source);
    expect(problems.map((problem) => problemLine(problem))).toEqual(expected(source));
    expect(problems).not.toEqual([]);
  });

  it.each(files)('%s has its mistakes at the same places after lines were put before it', (file) => {
    const source = readFileSync(`${folder}/${file}`, 'utf8');
    const before = ['', '# a comment', '   ', '#'];
    const moved = parseDefinition(`${before.join('\n')}\n${source}`).problems ?? [];
    const lines = moved.map((problem) => problemLine({ ...problem, line: problem.line - before.length }));
    // Where there is nothing, the nothing is at the beginning.
    expect(file === 'no-document.yaml' ? expected(source) : lines).toEqual(expected(source));
  });
});
