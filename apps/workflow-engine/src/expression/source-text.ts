/** A text of a definition. Escapes, folded lines and indentation make it differ from what the file holds. */
export interface SourceText {
  readonly text: string;
  /** Where in the file the character at an index of the text is. One after the last is where the text ends. */
  at(index: number): number;
}

/** A text that is in the file as it is, from an offset on. */
export function sourceText(text: string, offset = 0): SourceText {
  return { text, at: (index) => offset + index };
}

/** A part of a text, from one index up to, without, another. */
export function partOf(source: SourceText, from: number, to: number): SourceText {
  return { text: source.text.slice(from, to), at: (index) => source.at(from + index) };
}
