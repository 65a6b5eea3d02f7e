import { SyntaxProblem, type Token } from './tokens.js';

const binary: ReadonlySet<string> = new Set(['&&', '||', '==', '!=', '<=', '>=', '<', '>', '+', '-', '*', '/', '%']);
const literals: ReadonlySet<string> = new Set(['true', 'false', 'null']);
const keywords: ReadonlySet<string> = new Set([...literals, 'in']);
const reserved: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);
/** What people write who know other languages, and what it is here. */
const foreign: ReadonlyMap<string, string> = new Map([
  ['and', '&&'],
  ['or', '||'],
  ['not', '!'],
  ['is', '=='],
  ['eq', '=='],
  ['mod', '%'],
]);
const deepest = 200;
/** Trees of long chains are deep too. */
const longest = 2000;

/**
 * Checks tokens by the grammar of CEL, so that a mistake is told at the very place where it is, and as what it is: a
 * parser that tries one way after the other can only tell where it gave up. Throws a {@link SyntaxProblem}.
 */
export function checkSyntax(tokens: readonly Token[]): void {
  const last = tokens[longest];
  if (last !== undefined)
    throw new SyntaxProblem('the expression is too long: make two steps of it, or a function', last.from);
  new Syntax(tokens).check();
}

class Syntax {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  check(): void {
    if (this.#peek().kind === 'end') throw new SyntaxProblem('there is no expression here', this.#peek().from);
    this.#expression();
    if (this.#peek().kind !== 'end') throw this.#unexpected('an operator');
  }

  #peek(): Token {
    // The last token is the end, and nothing goes beyond it.
    return this.#tokens[this.#at] as Token;
  }

  #is(text: string): boolean {
    return this.#peek().kind === 'operator' && this.#peek().text === text;
  }

  #take(text: string): boolean {
    if (!this.#is(text)) return false;
    this.#at++;
    return true;
  }

  #expression(): void {
    if (++this.#depth > deepest) throw new SyntaxProblem('this is nested too deeply', this.#peek().from);
    this.#operands();
    if (this.#take('?')) {
      this.#operands();
      if (!this.#take(':')) throw this.#unexpected('an operator, or : for the ? before');
      this.#expression();
    }
    this.#depth--;
  }

  #operands(): void {
    this.#operand();
    while (this.#isBinary()) {
      this.#at++;
      this.#operand();
    }
  }

  #isBinary(): boolean {
    const { kind, text } = this.#peek();
    return kind === 'operator' ? binary.has(text) : kind === 'name' && text === 'in';
  }

  #operand(): void {
    const sign = this.#peek();
    if (this.#is('!') || this.#is('-')) {
      while (this.#take(sign.text));
      const other = this.#peek();
      // A number may have a sign of its own.
      if (this.#take('-') && this.#peek().kind !== 'number') throw mixedSigns(sign, other);
      if (this.#is('!')) throw mixedSigns(sign, other);
    }
    this.#primary();
    while (this.#member());
  }

  #primary(): void {
    const token = this.#peek();
    switch (token.kind) {
      case 'number':
      case 'text':
        this.#at++;
        return;
      case 'name':
        this.#name();
        return;
      case 'operator':
        break;
      default:
        throw this.#unexpected('a value');
    }
    if (this.#take('(')) {
      this.#expression();
      this.#close(')', token);
    } else if (this.#take('[')) {
      this.#list(']', token, true);
    } else if (this.#take('{')) {
      this.#map(token);
    } else {
      throw this.#unexpected('a value');
    }
  }

  #name(): void {
    const token = this.#peek();
    if (token.kind !== 'name') throw this.#unexpected('a name');
    if (literals.has(token.text)) {
      this.#at++;
      return;
    }
    if (keywords.has(token.text)) throw this.#unexpected('a value');
    if (reserved.has(token.text))
      throw new SyntaxProblem(`${token.text} is a word that CEL keeps for itself`, token.from);
    const literal = /^(?:true|false)(?=.)/.exec(token.text)?.[0];
    // The parser of CEL reads the literal, and stumbles over the rest.
    if (literal !== undefined) throw new SyntaxProblem(`no name may begin with ${literal}`, token.from);
    const other = foreign.get(token.text);
    const after = this.#tokens[this.#at + 1];
    if (other === '!' && after?.kind !== 'operator') throw new SyntaxProblem('not is no operator: write !', token.from);
    this.#at++;
    const opening = this.#peek();
    if (this.#take('(')) this.#list(')', opening, false);
    if (this.#is('{')) throw new SyntaxProblem("a map has no name before it: write {'key': value}", token.from);
  }

  #member(): boolean {
    const opening = this.#peek();
    if (this.#take('.')) {
      const selected = this.#peek();
      if (selected.kind !== 'name' && selected.kind !== 'step') throw this.#unexpected('the name of a field');
      if (keywords.has(selected.text)) {
        throw new SyntaxProblem(
          `${selected.text} is a word of CEL: write ['${selected.text}'] for the field`,
          opening.from,
        );
      }
      this.#at++;
      const call = this.#peek();
      if (selected.kind === 'name' && this.#take('(')) this.#list(')', call, false);
      return true;
    }
    if (this.#take('[')) {
      this.#expression();
      this.#close(']', opening);
      return true;
    }
    return false;
  }

  #list(closing: string, opening: Token, trailingComma: boolean): void {
    if (this.#take(closing)) return;
    this.#expression();
    while (this.#take(',')) {
      if (trailingComma && this.#take(closing)) return;
      this.#expression();
    }
    this.#close(closing, opening);
  }

  #map(opening: Token): void {
    while (!this.#take('}')) {
      const key = this.#peek();
      this.#expression();
      if (!this.#take(':')) throw this.#unexpected(`: and a value for the key ${key.text}`);
      this.#expression();
      if (!this.#take(',')) {
        this.#close('}', opening);
        return;
      }
    }
  }

  #close(closing: string, opening: Token): void {
    if (!this.#take(closing)) throw this.#unexpected(`an operator, or ${closing} for the ${opening.text} before`);
  }

  #unexpected(wanted: string): SyntaxProblem {
    const { kind, text, from } = this.#peek();
    if (kind === 'end') {
      return new SyntaxProblem(`the expression ends where ${wanted} should follow`, this.#tokens.at(-2)?.to ?? from);
    }
    const other = kind === 'name' ? foreign.get(text) : undefined;
    if (other !== undefined) return new SyntaxProblem(`${text} is no operator: write ${other}`, from);
    return new SyntaxProblem(`${text} is where ${wanted} should be`, from);
  }
}

function mixedSigns(first: Token, second: Token): SyntaxProblem {
  return new SyntaxProblem(
    `${second.text} cannot follow ${first.text}: write ${first.text}(${second.text}…)`,
    second.from,
  );
}
