/**
 * How texts are written as YAML scalars: plain where YAML allows it, as a block when they have several lines, else in
 * single quotes, else in double ones. What is allowed follows libyaml's analysis of scalars, which peers print with, so
 * that texts come out equal to theirs.
 */

export interface ScalarContext {
  /** Whether the text is the key of a mapping, on one line with its value. */
  readonly key?: boolean;
  /** The column of the mapping's keys or of the list's dashes. */
  readonly indent: number;
  /** The column of the lines of a block scalar. */
  readonly blockIndent: number;
}

/** A text that is read from its source text: also what looks like a number or a boolean is plain. */
export function untypedScalar(text: string, context: ScalarContext): string {
  return written(text, text.includes('\n') ? 'literal' : 'plain', context);
}

/** A text that is read through YAML's typing: what would not stay a text is in double quotes. */
export function typedScalar(text: string, context: ScalarContext): string {
  if (isOrdinary(text)) return words.has(text) ? doubleQuoted(text) : text;
  if (text.includes('\n')) return written(text, /\S/.test(text) ? 'literal' : 'double', context);
  return written(text, looksTyped(text) ? 'double' : 'plain', context);
}

/** Keys beyond this many bytes of UTF-8, or of several lines, are written in the long form with a question mark. */
export function isSimpleKey(text: string): boolean {
  if (text.length <= 128 && isOrdinary(text)) return true;
  return !anyBreak.test(text) && utf8Length(text) <= 128;
}

/** Keys that were found to be plain: those of a type come again with each of its resources. */
const plainKeys = new Set<string>();
const maxPlainKeys = 1000;

/** Whether a key is written as it is, however it is read. False also for some that are. */
export function isPlainKey(text: string): boolean {
  if (plainKeys.has(text)) return true;
  if (text.length > 128 || !isOrdinary(text) || words.has(text)) return false;
  if (plainKeys.size < maxPlainKeys) plainKeys.add(text);
  return true;
}

/** Most texts: they begin with a letter, and hold nothing that could mean anything in YAML. Saves the closer look. */
function isOrdinary(text: string): boolean {
  return text.length <= maxOrdinaryLength && /^[A-Za-z_](?:[\w./,-]|[ :](?=[\w./,-]))*$/.test(text);
}

/** The host's regular expressions run out of stack on very long texts. */
const maxOrdinaryLength = 1000;

type Style = 'plain' | 'single' | 'double' | 'literal';

function written(text: string, wanted: Style, context: ScalarContext): string {
  switch (allowedStyle(text, wanted, context)) {
    case 'plain':
      return text;
    case 'single':
      return `'${text.replaceAll("'", "''")}'`;
    case 'double':
      return doubleQuoted(text);
    case 'literal':
      return literal(text, context);
  }
}

function allowedStyle(text: string, wanted: Style, { key = false }: ScalarContext): Style {
  if (wanted === 'double') return 'double';
  const quoteAll = mustEscape.test(text);
  if (wanted === 'literal')
    return key || quoteAll || spaceBeforeBreak.test(text) || !/\S/.test(text) ? 'double' : 'literal';
  if (quoteAll || text.includes('\t')) return 'double';
  if (text === '') return key ? 'single' : 'plain';
  return text.startsWith(' ') || text.endsWith(' ') || indicators.test(text) ? 'single' : 'plain';
}

/** Line breaks of YAML 1.1, of which 1.2 knows the first two only. */
const anyBreak = /[\n\r\u0085\u2028\u2029]/;
const spaceBeforeBreak = / (?:\n|$)/;
// Everything outside of what libyaml takes for printable, which is the first plane without controls, and all breaks but
// the usual one.
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for
const mustEscape = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/;
// At the beginning, anywhere followed by a space or the end, after a space; the markers of documents.
const indicators = /^[#,[\]{}&*!|>'"%@`]|^[?-](?: |\t|$)|:(?: |\t|$)|[ \t]#|^(?:---|\.\.\.)/;

const escapes: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\u0085': '\\N',
  '\u2028': '\\L',
  '\u2029': '\\P',
};
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for
const escaped = /["\\\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff\u{10000}-\u{10ffff}\ufeff\ufffe\uffff]/gu;

function doubleQuoted(text: string): string {
  return `"${text.replace(escaped, (char) => escapes[char] ?? hexEscape(char.codePointAt(0) as number))}"`;
}

function hexEscape(code: number): string {
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

function literal(text: string, { indent, blockIndent }: ScalarContext): string {
  // A text that begins with a space or a break would leave the indentation open.
  const hint = /^[ \n]/.test(text) ? String(blockIndent - indent) : '';
  const chomp = !text.endsWith('\n') ? '-' : text.endsWith('\n\n') ? '+' : '';
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  const margin = ' '.repeat(blockIndent);
  const lines = body.split('\n').map((line) => (line === '' ? '' : `${margin}${line}`));
  return `|${hint}${chomp}\n${lines.join('\n')}`;
}

const words = new Set(
  ['', '~', '<<', 'null', 'Null', 'NULL', '.nan', '.NaN', '.NAN'].concat(
    ['true', 'false', 'yes', 'no', 'on', 'off', 'y', 'n'].flatMap((word) => [
      word,
      word.toUpperCase(),
      `${word.charAt(0).toUpperCase()}${word.slice(1)}`,
    ]),
    ['.inf', '.Inf', '.INF'].flatMap((word) => [word, `+${word}`, `-${word}`]),
  ),
);
const number =
  /^[-+]?(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)$/;
const sexagesimal = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const timestamp =
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]*)?(?:Z|[-+][0-9]{1,2}:[0-9]{2})?)?$/;

/** True when YAML 1.1 or 1.2, or what is left of the first in peers, would read the plain text as something else. */
function looksTyped(text: string): boolean {
  if (words.has(text)) return true;
  if (!/^[-+.0-9]/.test(text)) return false;
  return number.test(text.replaceAll('_', '')) || sexagesimal.test(text) || timestamp.test(text);
}

function utf8Length(text: string): number {
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // Each half of a surrogate pair counts for two of its four bytes.
    length += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3;
  }
  return length;
}
