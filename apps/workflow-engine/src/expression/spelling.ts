import type { Token } from './tokens.js';

/** The text of an expression as the parser of CEL takes it, and where its parts come from. */
export interface Spelling {
  readonly text: string;
  /** The index in the expression as it was written of what begins at an index of `text`. */
  original(index: number): number;
}

/**
 * Writes an expression anew, without comments and with white space only where it must be: the parser does not take it
 * everywhere. Names of steps that are no names in CEL become indexes: `steps.build-it` is `steps["build-it"]`. Nothing
 * is lost by that, for there is nothing that could be subtracted from a step.
 */
export function spell(tokens: readonly Token[]): Spelling {
  const starts: number[] = [];
  let text = '';
  for (const [i, token] of tokens.entries()) {
    const isNamed = token.text === '.' && tokens[i + 1]?.kind === 'step';
    if (needsSpace(tokens[i - 1], token)) text += ' ';
    starts.push(text.length);
    if (!isNamed) text += token.kind === 'step' ? `["${token.text}"]` : token.text;
  }
  return {
    text,
    original(index) {
      const at = starts.findLastIndex((start) => start <= index);
      return tokens[at]?.from ?? 0;
    },
  };
}

function needsSpace(before: Token | undefined, token: Token): boolean {
  if (before === undefined) return false;
  // `?.` and `[?` would be signs of their own.
  if (token.text === '?' || before.text === '?') return true;
  return before.kind !== 'operator' && before.kind !== 'step' && token.kind !== 'operator' && token.kind !== 'step';
}
