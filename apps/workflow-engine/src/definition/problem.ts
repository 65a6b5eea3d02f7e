/** What is wrong with a definition, where, and what to write instead. */
export interface Problem {
  /** From 1. */
  readonly line: number;
  /** From 1, in characters of UTF-16, as editors count. */
  readonly column: number;
  /** From 0, in the whole text. */
  readonly offset: number;
  /** Which part: `steps.build.retry.limit`, `steps.test.needs[0]`; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

/** One line for one problem, as compilers write it, which terminals and editors make a link of. */
export function problemLine({ line, column, path, message }: Problem, file?: string): string {
  const place = file === undefined ? `${line}:${column}` : `${file}:${line}:${column}`;
  return path === '' ? `${place}: ${message}` : `${place}: ${path}: ${message}`;
}

/** Of a longer line only what is around the place is shown. */
const longestLine = 200;

/** The line of the definition that a problem is in, and below it a mark under the column. */
export function problemExcerpt(source: string, { line, column }: Problem): string {
  const text = (source.split('\n')[line - 1] ?? '').replace(/\r$/, '');
  const from = text.length > longestLine ? Math.max(0, column - 1 - longestLine / 2) : 0;
  const shown = text.slice(from, from + longestLine);
  const before = shown.slice(0, column - 1 - from).replace(/[^\t]/g, ' ');
  return `${shown}\n${before}^`;
}
