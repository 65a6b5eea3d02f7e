import { partOf, type SourceText } from './source-text.js';

/** A piece of a text with `${{ … }}` in it. */
export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  /** What is between the braces. */
  | { readonly kind: 'expression'; readonly source: SourceText }
  /** The beginning of an expression that has no end, and all that follows it. */
  | { readonly kind: 'unclosed'; readonly source: SourceText };

const opening = '${{';
const closing = '}}';

/** What is wrong with a part that is not closed. */
export const unclosedMessage = 'the expression that begins here has no }} at its end';

/** Whether a text has expressions in it. */
export function hasExpressions(text: string): boolean {
  return text.includes(opening);
}

export function templateParts(source: SourceText): readonly TemplatePart[] {
  const { text } = source;
  const parts: TemplatePart[] = [];
  let at = 0;
  while (true) {
    const from = text.indexOf(opening, at);
    if (from < 0) break;
    if (from > at) parts.push({ kind: 'text', text: text.slice(at, from) });
    const to = endOfExpression(text, from + opening.length);
    if (to === undefined) {
      parts.push({ kind: 'unclosed', source: partOf(source, from, text.length) });
      return parts;
    }
    parts.push({ kind: 'expression', source: partOf(source, from + opening.length, to) });
    at = to + closing.length;
  }
  if (at < text.length) parts.push({ kind: 'text', text: text.slice(at) });
  return parts;
}

/** The first `}}` that neither is in a text of the expression nor closes maps in it. */
function endOfExpression(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    switch (text[at]) {
      case '"':
      case "'":
        at = endOfText(text, at);
        break;
      case '{':
        depth++;
        break;
      case '}':
        if (depth > 0) depth--;
        else if (text.startsWith(closing, at)) return at;
        break;
    }
  }
  // Of an expression with a mistake in its quotes or braces the end is where one would look for it.
  const plain = text.indexOf(closing, from);
  return plain < 0 ? undefined : plain;
}

/** The index of the last quotation mark of the text that begins at `from`. */
function endOfText(text: string, from: number): number {
  const mark = text[from] as string;
  const marks = text.startsWith(mark.repeat(3), from) ? mark.repeat(3) : mark;
  const raw = /(?:^|[^A-Za-z0-9_])(?:[rR][bB]?|[bB][rR])$/.test(text.slice(Math.max(0, from - 3), from));
  let at = from + marks.length;
  while (at < text.length && !text.startsWith(marks, at)) at += text[at] === '\\' && !raw ? 2 : 1;
  return at + marks.length - 1;
}
