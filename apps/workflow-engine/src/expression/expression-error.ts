/** An expression that cannot be read, or that has no value that JSON can hold. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  /** As it was written. */
  readonly expression: string;
  /** Where in the text of the definition it is wrong, in characters. */
  readonly offset: number;
  /** What is wrong, without the expression. */
  readonly reason: string;

  constructor(reason: string, expression: string, offset: number, options?: { readonly cause?: unknown }) {
    const shown = shortened(reason, longestReason);
    super(
      expression === '' ? shown : `${shown} (in the expression ${shortened(oneLine(expression), longest)})`,
      options,
    );
    this.expression = expression;
    this.offset = offset;
    this.reason = shown;
  }
}

const longest = 120;
/** Some reasons quote the value, which can be a text of any length. */
const longestReason = 500;

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
