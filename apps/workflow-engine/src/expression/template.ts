import type { JsonValue } from '@cosi-ts/resource';
import { type Expression, parseExpression, type Scope } from './expression.js';
import { ExpressionError } from './expression-error.js';
import { type SourceText, sourceText } from './source-text.js';
import { templateParts, unclosedMessage } from './template-parts.js';
import { textOf } from './text.js';

/**
 * A value of a definition in which texts may hold expressions, as `${{ … }}`. A text that is one expression and nothing
 * else but white space becomes the value of it, of whatever type; in others the values are put in as text: null as
 * nothing, lists and objects as JSON.
 */
export interface Template {
  /** As it was written. */
  readonly source: JsonValue;
  /** In the order of the text. Empty: evaluating gives `source`. */
  readonly expressions: readonly Expression[];
  /** Throws an {@link ExpressionError}. */
  evaluate(scope: Scope): JsonValue;
}

/** A value of a definition before expressions are looked for in it. */
export type TemplateSource =
  | { readonly kind: 'text'; readonly text: SourceText }
  | { readonly kind: 'constant'; readonly value: number | boolean | null }
  | { readonly kind: 'list'; readonly items: readonly TemplateSource[] }
  | { readonly kind: 'object'; readonly fields: readonly (readonly [name: string, TemplateSource])[] };

/**
 * Every expression that cannot be read is reported, and the template is one without it then.
 * @param report Default: throws the first.
 */
export function parseTemplate(source: TemplateSource, report: Report = throwError): Template {
  const { value, expressions, evaluate } = compile(source, report);
  return { source: value, expressions, evaluate: expressions.length === 0 ? () => value : evaluate };
}

/** A template of a value that is in no file. Throws an {@link ExpressionError}. */
export function templateOf(value: JsonValue): Template {
  return parseTemplate(sourceOf(value));
}

/** May give an expression to go on with. */
type Report = (error: ExpressionError, source: SourceText) => Expression | undefined;

function throwError(error: ExpressionError): never {
  throw error;
}

function sourceOf(value: JsonValue): TemplateSource {
  if (typeof value === 'string') return { kind: 'text', text: sourceText(value) };
  if (typeof value !== 'object' || value === null) return { kind: 'constant', value };
  if (isList(value)) return { kind: 'list', items: value.map(sourceOf) };
  return { kind: 'object', fields: Object.entries(value).map(([name, field]) => [name, sourceOf(field)]) };
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}

interface Compiled {
  readonly value: JsonValue;
  readonly expressions: readonly Expression[];
  evaluate(scope: Scope): JsonValue;
}

function constant(value: JsonValue): Compiled {
  return { value, expressions: [], evaluate: () => value };
}

function compile(source: TemplateSource, report: Report): Compiled {
  switch (source.kind) {
    case 'text':
      return compileText(source.text, report);
    case 'constant':
      return constant(source.value);
    case 'list': {
      const items = source.items.map((item) => compile(item, report));
      return {
        value: items.map(({ value }) => value),
        expressions: items.flatMap(({ expressions }) => expressions),
        evaluate: (scope) => items.map((item) => evaluated(item, scope)),
      };
    }
    case 'object': {
      const fields = source.fields.map(([name, field]) => [name, compile(field, report)] as const);
      return {
        // Unlike assignments this makes a key `__proto__` one like any other.
        value: Object.fromEntries(fields.map(([name, { value }]) => [name, value])),
        expressions: fields.flatMap(([, { expressions }]) => expressions),
        evaluate: (scope) => Object.fromEntries(fields.map(([name, field]) => [name, evaluated(field, scope)])),
      };
    }
  }
}

function evaluated({ expressions, value, evaluate }: Compiled, scope: Scope): JsonValue {
  return expressions.length === 0 ? value : evaluate(scope);
}

function compileText(source: SourceText, report: Report): Compiled {
  const { text } = source;
  const parts = templateParts(source).map((part) =>
    part.kind === 'text'
      ? part.text
      : part.kind === 'unclosed'
        ? unclosed(part.source, report)
        : expressionOf(part.source, report),
  );
  const expressions = parts.filter((part) => typeof part === 'object');
  const [only] = expressions;
  if (only !== undefined && expressions.length === 1 && parts.every(isBlankOr(only))) {
    return { value: text, expressions, evaluate: (scope) => only.evaluate(scope) };
  }
  return { value: text, expressions, evaluate: (scope) => filledIn(parts, scope) };
}

function unclosed(source: SourceText, report: Report): string {
  report(new ExpressionError(unclosedMessage, '', source.at(0)), source);
  return source.text;
}

function expressionOf(source: SourceText, report: Report): Expression | undefined {
  try {
    return parseExpression(source);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return report(error, source);
  }
}

function isBlankOr(expression: Expression) {
  return (part: string | Expression | undefined) =>
    part === expression || (typeof part === 'string' && part.trim() === '');
}

function filledIn(parts: readonly (string | Expression | undefined)[], scope: Scope): string {
  let text = '';
  for (const part of parts) text += typeof part === 'object' ? textOf(part.evaluate(scope)) : (part ?? '');
  return text;
}
