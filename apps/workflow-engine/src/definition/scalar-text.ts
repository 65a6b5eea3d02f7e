import type { Scalar } from 'yaml';
import type { SourceText } from '../expression/source-text.js';

type Style = 'plain' | 'single' | 'double' | 'block';

/**
 * The text of a scalar, and where its characters are in the document. YAML folds lines, takes indentation away and
 * knows escapes, but all of that concerns white space and single characters: the other characters of the text are in
 * the document in the same order.
 */
export function scalarText(document: string, { value, range, type }: Scalar<string>): SourceText {
  const [from, to] = range ?? [0, 0];
  const style = styleOf(type);
  const start = style === 'block' ? document.indexOf('\n', from) + 1 : style === 'plain' ? from : from + 1;
  const end = style === 'single' || style === 'double' ? to - 1 : to;
  if (document.slice(start, end) === value) return { text: value, at: (index) => start + index };
  let places: readonly number[] | undefined;
  return {
    text: value,
    at(index) {
      places ??= placesOf(value, document, start, Math.max(start, end), style);
      return places[Math.min(index, value.length)] ?? start;
    },
  };
}

function styleOf(type: Scalar['type']): Style {
  switch (type) {
    case 'QUOTE_DOUBLE':
      return 'double';
    case 'QUOTE_SINGLE':
      return 'single';
    case 'BLOCK_FOLDED':
    case 'BLOCK_LITERAL':
      return 'block';
    default:
      return 'plain';
  }
}

/** Where each character of the text is, and, last, where it ends. */
function placesOf(text: string, document: string, start: number, end: number, style: Style): readonly number[] {
  const units = unitsOf(document, start, end, style).filter(({ character }) => !isSpace(character));
  const places: number[] = [];
  let next = 0;
  let after = start;
  for (const character of text.split('')) {
    const unit = isSpace(character) ? undefined : units[next];
    if (unit !== undefined) {
      next++;
      places.push(unit.from);
      after = unit.to;
    } else {
      places.push(Math.min(after, units[next]?.from ?? end));
      after++;
    }
  }
  places.push(Math.min(after, end));
  return places;
}

function isSpace(character: string): boolean {
  return /\s/.test(character);
}

interface Unit {
  readonly character: string;
  readonly from: number;
  readonly to: number;
}

function unitsOf(document: string, start: number, end: number, style: Style): Unit[] {
  const units: Unit[] = [];
  for (let at = start; at < end; ) {
    const length =
      style === 'double' ? escapeLength(document, at) : style === 'single' && document.startsWith("''", at) ? 2 : 1;
    const written = document.slice(at, at + length);
    const characters = length === 1 ? written : style === 'single' ? "'" : unescaped(written);
    for (const character of characters.split('')) units.push({ character, from: at, to: at + length });
    at += length;
  }
  return units;
}

const escapes: Readonly<Record<string, number>> = { x: 4, u: 6, U: 10 };

function escapeLength(document: string, at: number): number {
  if (document[at] !== '\\') return 1;
  return escapes[document[at + 1] ?? ''] ?? 2;
}

/** Of escapes for white space and control characters it does not matter which: all of them are passed over alike. */
function unescaped(written: string): string {
  const letter = written[1] ?? '';
  if (letter in escapes) return String.fromCodePoint(Number.parseInt(written.slice(2), 16) || 0);
  switch (letter) {
    case '0':
      return '\0';
    case 'a':
      return '\x07';
    case 'b':
      return '\b';
    case 'e':
      return '\x1b';
    case 't':
    case 'n':
    case 'v':
    case 'f':
    case 'r':
    case 'N':
    case '_':
    case 'L':
    case 'P':
    case ' ':
    case '\n':
    case '\r':
      // U+0085 is white space to YAML, and none to JavaScript.
      return letter === 'N' ? '\x85' : ' ';
    default:
      return letter;
  }
}
