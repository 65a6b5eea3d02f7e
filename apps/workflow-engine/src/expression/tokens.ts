/** A part of an expression that has no parts of its own. */
export interface Token {
  readonly kind: 'name' | 'number' | 'text' | 'operator' | 'step' | 'end';
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** What is wrong with an expression, and at which of its characters. */
export class SyntaxProblem extends Error {
  override readonly name = 'SyntaxProblem';

  constructor(
    message: string,
    readonly index: number,
  ) {
    super(message);
  }
}

const space = /(?:[\t\n\f\r ]|\/\/[^\n]*)+/y;
const name = /[A-Za-z_][A-Za-z0-9_]*/y;
const number = /0[xX][0-9a-fA-F]+[uU]?|(?:\d*\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)|\d+[uU]?/y;
const quote = /(?:[rR][bB]?|[bB][rR]?)?("""|'''|"|')/y;
const operator = /&&|\|\||==|!=|<=|>=|[-+*/%!?:.,()[\]{}<>]/y;
/** The name of a step as it may follow `steps.`, though it is no name in CEL. */
const dashed = /(?:[a-z][a-z0-9]*-|[0-9])[a-z0-9-]*(?<!-)(?![A-Za-z0-9_])/y;

/** The tokens of an expression; the last is of the kind `end`. Throws a {@link SyntaxProblem}. */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  const take = (kind: Token['kind'], text: string): void => {
    tokens.push({ kind, text, from: at, to: at + text.length });
    at += text.length;
  };
  while (true) {
    at += match(space)?.length ?? 0;
    if (at >= source.length) break;
    const step = afterSteps(tokens, at) ? match(dashed) : undefined;
    if (step !== undefined) {
      take('step', step);
      continue;
    }
    if (match(quote) !== undefined) {
      take('text', textAt(source, at));
      continue;
    }
    const word = match(name);
    if (word !== undefined) {
      take('name', word);
      continue;
    }
    const digits = stepDot(tokens, source, at) ? undefined : match(number);
    if (digits !== undefined) {
      checkNumber(digits, at);
      take('number', digits);
      continue;
    }
    const sign = match(operator);
    if (sign === undefined) throw new SyntaxProblem(strange(source, at), at);
    checkSign(source, sign, at);
    take('operator', sign);
  }
  take('end', '');
  return tokens;
}

function endsWithDot(tokens: readonly Token[]): boolean {
  return tokens.at(-1)?.text === '.' && tokens.at(-1)?.kind === 'operator';
}

function isSteps(tokens: readonly Token[], index: number): boolean {
  const token = tokens.at(index);
  return token?.kind === 'name' && token.text === 'steps' && tokens.at(index - 1)?.text !== '.';
}

/** Whether `steps.` ends right before. */
function afterSteps(tokens: readonly Token[], at: number): boolean {
  return endsWithDot(tokens) && isSteps(tokens, -2) && tokens.at(-1)?.to === at && tokens.at(-2)?.to === at - 1;
}

/** Whether this is the dot of `steps.1st` rather than of a number. */
function stepDot(tokens: readonly Token[], source: string, at: number): boolean {
  return source[at] === '.' && isSteps(tokens, -1) && tokens.at(-1)?.to === at;
}

function textAt(source: string, from: number): string {
  quote.lastIndex = from;
  const [opening, mark] = quote.exec(source) as unknown as [string, string];
  const raw = /[rR]/.test(opening.slice(0, -mark.length));
  let at = from + opening.length;
  while (!source.startsWith(mark, at)) {
    const character = source[at];
    if (character === undefined || (mark.length === 1 && (character === '\n' || character === '\r'))) {
      throw new SyntaxProblem(`the text that begins here has no ${mark} at its end`, from);
    }
    if (character === '\\' && !raw) checkEscape(source, at, opening);
    at += character === '\\' && !raw ? 2 : 1;
  }
  return source.slice(from, at + mark.length);
}

const escapeSequence =
  /\\(?:[abfnrtv"'`\\?]|x[0-9a-fA-F]{2}|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})/y;

function checkEscape(source: string, at: number, opening: string): void {
  escapeSequence.lastIndex = at;
  if (escapeSequence.test(source)) return;
  throw new SyntaxProblem(
    `${source.slice(at, at + 2)} means nothing in a text: write \\\\ for a backslash, or put r before ${opening} so that no backslash means anything`,
    at,
  );
}

const greatest = 2n ** 63n - 1n;

function checkNumber(digits: string, at: number): void {
  if (!/^(0[xX][0-9a-fA-F]+|\d+)[uU]?$/.test(digits)) return;
  const unsigned = /[uU]$/.test(digits);
  const value = BigInt(unsigned ? digits.slice(0, -1) : digits);
  if (value > (unsigned ? 2n * greatest + 1n : greatest + 1n)) {
    throw new SyntaxProblem(`${digits} is too large for a whole number: write ${digits}.0`, at);
  }
}

function checkSign(source: string, sign: string, at: number): void {
  if ((sign === '==' || sign === '!=') && source[at + 2] === '=') {
    throw new SyntaxProblem(`${sign}= is no operator: write ${sign}`, at);
  }
}

function strange(source: string, at: number): string {
  const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
  switch (character) {
    case '=':
      return '= is no operator: write == to compare';
    case '&':
      return '& is no operator: write && for "and"';
    case '|':
      return '| is no operator: write || for "or"';
    case '$':
      return 'an expression cannot be within an expression: write what it refers to without $';
    default:
      return `${character} means nothing in an expression`;
  }
}
