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
    super(expression === '' ? reason : `${reason} (in the expression ${shortened(expression)})`, options);
    this.expression = expression;
    this.offset = offset;
    this.reason = reason;
  }
}

const longest = 120;

function shortened(expression: string): string {
  const line = expression.replace(/\s+/g, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
