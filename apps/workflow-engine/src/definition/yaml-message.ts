import type { YAMLError } from 'yaml';

/** After which the parser sees mistakes everywhere. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: authors write it
export const unquotedAdvice = 'a text with ${{ … }} must be in quotes where it is within [ ] or { }';

/** What is wrong with the YAML, and what to do about it. */
export function syntaxMessage(error: YAMLError, source: string): string {
  const line = lineAt(source, error.pos[0]);
  const advice = adviceOf(error, line, lineBefore(source, error.pos[0]));
  return advice === undefined ? `this is no YAML: ${firstLine(error.message)}` : `this is no YAML: ${advice}`;
}

function adviceOf(error: YAMLError, line: string, before: string): string | undefined {
  switch (error.code) {
    case 'TAB_AS_INDENT':
      return 'lines are indented with spaces, not with tabs';
    case 'MULTIPLE_DOCS':
      return 'a definition is one document: put what follows --- into a file of its own';
    case 'BAD_SCALAR_START':
      return 'a text that begins like this must be in quotes';
    case 'BAD_DQ_ESCAPE':
      return 'this is no escape in a text in double quotes: write \\\\ for a backslash, or use single quotes';
    case 'BAD_INDENT':
      return /^All mapping items/.test(error.message)
        ? 'the keys of a map begin at the same column, and this one begins elsewhere'
        : `${lowerFirst(firstLine(error.message))}`;
  }
  const quote = unclosedQuote(error);
  if (quote !== undefined) return `the text that begins here has no ${quote} at its end`;
  if (line.includes('${{') && /[[{].*\$\{\{/.test(line)) {
    return unquotedAdvice;
  }
  if (error.code === 'BLOCK_AS_IMPLICIT_KEY')
    return 'a text that has ": " in it must be in quotes, and a map begins on a line of its own';
  const [, mark] = /[:-] +([|>])[-+\d]*\s*$/.exec(before) ?? [];
  if (mark !== undefined) return `the lines of a text after ${mark} begin further to the right than the key before it`;
  return undefined;
}

function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/:$/, '');
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function lineAt(source: string, offset: number): string {
  const from = source.lastIndexOf('\n', offset - 1) + 1;
  const to = source.indexOf('\n', offset);
  return source.slice(from, to < 0 ? undefined : to);
}

/** The line before, or nothing where that is empty. */
function lineBefore(source: string, offset: number): string {
  const to = source.lastIndexOf('\n', offset - 1);
  return to < 0 ? '' : lineAt(source, to);
}

/** The quotation mark that is missing; undefined when something else is wrong. */
export function unclosedQuote(error: YAMLError): string | undefined {
  return error.code === 'MISSING_CHAR' ? /Missing closing (['"])quote/.exec(error.message)?.[1] : undefined;
}
