import { type CelResult, type CelValue, isCelError, parse, plan } from '@bufbuild/cel';
import type { JsonValue } from '@cosi-ts/resource';
import { environment, functionNames, isFunction, macroNames, whyNotCallable } from './cel-environment.js';
import { toCelValue, toJsonValue } from './cel-value.js';
import { type Comparison, comparisonsOf } from './comparisons.js';
import { expandDefaults } from './default-macro.js';
import { countEffort } from './effort.js';
import { evaluationMessage, partOfError } from './evaluation-message.js';
import { ExpressionError } from './expression-error.js';
import { insteadOf } from './foreign-functions.js';
import { prepareLoops } from './loops.js';
import { suggestion } from './near-names.js';
import { type Reference, referencesOf } from './references.js';
import { type SourceText, sourceText } from './source-text.js';
import { spell } from './spelling.js';
import { checkSyntax } from './syntax.js';
import { SyntaxProblem, tokensOf } from './tokens.js';
import { type Node, nodesOf, type ParsedTree, qualifiedName } from './tree.js';

/**
 * What an expression can speak of, by name: `inputs`, `steps`, `item`, `index`, `run`, `error`. Its values are read
 * when an expression asks for them, and lists are remembered once they were read: they must never change.
 */
export type Scope = { readonly [name: string]: JsonValue };

/** An expression in CEL, parsed. */
export interface Expression {
  /** As it was written. */
  readonly source: string;
  /** Where it is in the text of the definition, in characters. */
  readonly offset: number;
  /** The names of the scope that it refers to, in the order of the text. */
  readonly references: readonly Reference[];
  /** What of the scope it compares with constants. */
  readonly comparisons: readonly Comparison[];
  /** Throws an {@link ExpressionError}. The same scope gives the same value, always. */
  evaluate(scope: Scope): JsonValue;
}

/** Of parts that are written down, and neither true nor false. */
const valueKinds: ReadonlySet<string> = new Set([
  ...['stringValue', 'int64Value', 'uint64Value', 'doubleValue', 'bytesValue', 'nullValue', 'listExpr', 'structExpr'],
]);

/** Parses an expression. Throws an {@link ExpressionError} with the place of the first mistake in it. */
export function parseExpression(source: SourceText | string): Expression {
  return new CelExpression(typeof source === 'string' ? sourceText(source) : source);
}

/**
 * An expression of something that has begun, which an earlier version may have read: what is wrong with it is told when
 * it is evaluated, and not before.
 */
export function laxExpression(source: SourceText): Expression {
  try {
    return new CelExpression(source, true);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const evaluate = () => {
      throw error;
    };
    return { source: source.text.trim(), offset: source.at(0), references: [], comparisons: [], evaluate };
  }
}

class CelExpression implements Expression {
  readonly source: string;
  readonly offset: number;
  readonly references: readonly Reference[];
  readonly comparisons: readonly Comparison[];
  readonly #tree: Node;
  readonly #offsetOf: (node: Node | undefined) => number;
  readonly #evaluate: (bindings: Record<string, CelValue>) => CelResult;
  readonly #roots: readonly string[];

  constructor(text: SourceText, isLax = false) {
    const { tree, indexOf } = parsed(text);
    this.source = text.text.trim();
    this.offset = text.at(text.text.length - text.text.trimStart().length);
    this.#offsetOf = (node) => (node === undefined ? this.offset : text.at(indexOf(node)));
    this.#tree = tree.expr;
    if (!isLax) this.#checkParts();
    const references = referencesOf(this.#tree, this.#offsetOf, isFunction);
    this.references = [...references.values()];
    this.comparisons = comparisonsOf(this.#tree, this.#offsetOf, (node) => references.get(node));
    expandDefaults(this.#tree);
    prepareLoops(this.#tree);
    this.#roots = [...new Set(this.references.map(({ root }) => root))];
    this.#evaluate = plan(environment, tree);
  }

  evaluate(scope: Scope): JsonValue {
    const bindings: Record<string, CelValue> = Object.create(null);
    for (const root of this.#roots) {
      const value = Object.hasOwn(scope, root) ? scope[root] : undefined;
      if (value !== undefined) bindings[root] = toCelValue(value);
    }
    countEffort();
    const result = this.#evaluate(bindings);
    if (isCelError(result)) {
      const part = partOfError(result, this.#tree);
      throw this.#error(evaluationMessage(result, part), part, result);
    }
    try {
      return toJsonValue(result);
    } catch (error) {
      throw this.#error((error as Error).message, undefined, error);
    }
  }

  #checkParts(): void {
    for (const node of nodesOf(this.#tree)) {
      const { exprKind } = node;
      if (exprKind.case !== 'callExpr') continue;
      const { function: called, target, args } = exprKind.value;
      if (called === '_||_' || called === '_&&_') this.#checkOperands(called, args);
      if (called === 'default' && args.length !== 2) {
        throw this.#error('default takes a value and what is used when there is none: default(value, other)', node);
      }
      const qualified = target === undefined ? undefined : qualifiedName(target);
      if (called === 'default' || !/^\w+$/.test(called)) continue;
      const name = qualified !== undefined && isFunction(`${qualified}.${called}`) ? `${qualified}.${called}` : called;
      if (isFunction(name)) {
        const wrong = whyNotCallable(name, name === called && target !== undefined, args.length);
        if (wrong !== undefined) throw this.#error(wrong, node);
        continue;
      }
      if (macroNames.includes(called)) {
        throw this.#error(macroAdvice(called), node);
      }
      const whole = qualified === 'json' || qualified === 'strings' ? `${qualified}.${called}` : called;
      const other = insteadOf(called);
      const meant = other === undefined ? suggestion(whole, [...functionNames, ...macroNames]) : `: ${other}`;
      throw this.#error(`there is no function ${whole}${meant}`, node);
    }
  }

  /** In other languages `||` gives a value where there is none. */
  #checkOperands(called: string, args: readonly Node[]): void {
    for (const arg of args) {
      const kind = arg.exprKind.case === 'constExpr' ? arg.exprKind.value.constantKind.case : arg.exprKind.case;
      if (kind === undefined || !valueKinds.has(kind)) continue;
      const advice = called === '_||_' ? '; for a value where there is none write default(value, other)' : '';
      throw this.#error(`${called.slice(1, -1)} takes what is true or false, and this is neither${advice}`, arg);
    }
  }

  #error(reason: string, at: Node | undefined, cause?: unknown): ExpressionError {
    return new ExpressionError(reason, this.source, this.#offsetOf(at), cause === undefined ? {} : { cause });
  }
}

function macroAdvice(name: string): string {
  return name === 'has'
    ? 'has takes a field: has(inputs.name)'
    : `${name} is called on a list, with a name for its items and what is asked of each: list.${name}(item, …)`;
}

/** The tree of an expression, and where in its text a part of it is. */
function parsed(text: SourceText): { readonly tree: ParsedTree; readonly indexOf: (node: Node) => number } {
  const source = text.text;
  try {
    const tokens = tokensOf(source);
    checkSyntax(tokens);
    const spelling = spell(tokens);
    const tree = parse(spelling.text);
    return {
      tree,
      indexOf(node) {
        const at = spelling.original(tree.sourceInfo?.positions[String(node.id)] ?? 0);
        return node.exprKind.case !== 'constExpr' && source[at] === '.' ? at + 1 : at;
      },
    };
  } catch (error) {
    const index = error instanceof SyntaxProblem ? error.index : 0;
    throw new ExpressionError((error as Error).message, source.trim(), text.at(index), { cause: error });
  }
}
