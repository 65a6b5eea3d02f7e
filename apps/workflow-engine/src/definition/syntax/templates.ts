import { type Expression, laxExpression, parseExpression } from '../../expression/expression.js';
import { ExpressionError } from '../../expression/expression-error.js';
import { type SourceText, sourceText } from '../../expression/source-text.js';
import { parseTemplate, type Template } from '../../expression/template.js';
import { hasExpressions, templateParts, unclosedMessage } from '../../expression/template-parts.js';
import { type SourceNode, templateSource } from '../source-node.js';
import type { JsonSchema } from './json-schema.js';
import type { Place } from './place.js';
import { mapped, named, type Syntax, scalar } from './syntax.js';

/** Gives nothing of a text that is wrong as a whole, so that nobody looks for what else is wrong with it. */
function readTemplate(node: SourceNode, place: Place): Template | undefined {
  if (!place.findings.isBegun) checkParts(node, place);
  if (!place.findings.isBegun && lacksBraces(node)) return undefined;
  const template = parseTemplate(templateSource(node), (error, source) => place.unreadable(error, source));
  place.use(template.expressions);
  return template;
}

const outputPattern = /^steps\.[a-z0-9-]+\.(?:outputs[.[]\S+|state|error(?:\.\w+)?)$/;

function lacksBraces(node: SourceNode): boolean {
  return node.kind === 'text' && outputPattern.test(node.text.text.trim());
}

/**
 * Keys are taken as they are, and whoever writes an expression there expects something else; so does who writes one
 * without the braces.
 */
function checkParts(node: SourceNode, place: Place): void {
  if (node.kind === 'text' && lacksBraces(node)) {
    place.problem(node.offset, `this is a text as it is: for the value write \${{ ${node.text.text.trim()} }}`);
  }
  if (node.kind === 'list') for (const [i, item] of node.items.entries()) checkParts(item, place.at(i));
  if (node.kind !== 'map') return;
  for (const { key, keyOffset, value } of node.entries) {
    if (hasExpressions(key))
      place.at(key).problem(keyOffset, 'expressions are not evaluated in keys: make a map of them in an expression');
    checkParts(value, place.at(key));
  }
}

/** Any value, with expressions in its texts. */
export const anyTemplate: Syntax<Template> = {
  wanted: 'any value',
  schema: {},
  read: (node, place) => (node.kind === 'invalid' ? undefined : readTemplate(node, place)),
};

/** A text with expressions in it. */
export function textTemplate(wanted: string): Syntax<Template> {
  return scalar(wanted, ['text'], { type: 'string', minLength: 1 }, (node, place) => {
    if (node.text.text.trim() === '') return place.problem(node.offset, `this must be ${wanted}, and not empty`);
    return readTemplate(node, place);
  });
}

/** A text with expressions in it, or another single value that becomes one. */
export function valueTemplate(wanted: string): Syntax<Template> {
  return scalar(wanted, ['text', 'number', 'boolean'], { type: ['string', 'number', 'boolean'] }, readTemplate);
}

/** A text template whose text is checked where it has no expressions. @param check what is wrong with a text */
export function checkedTemplate(
  syntax: Syntax<Template>,
  check: (text: string) => string | undefined,
): Syntax<Template> {
  return mapped(syntax, (template, node, place) => {
    const { source, expressions } = template;
    const wrong =
      typeof source === 'string' && expressions.length === 0 && !hasExpressions(source) ? check(source) : undefined;
    return wrong === undefined ? template : place.problem(node.offset, wrong);
  });
}

const conditionSchema: JsonSchema = { type: ['string', 'boolean'], minLength: 1 };
const wantedCondition = 'a condition like steps.build.outputs.size > 0';

/** A condition: the braces around it may be left out. */
export const condition: Syntax<Expression> = named(
  'condition',
  scalar(wantedCondition, ['text', 'boolean'], conditionSchema, (node, place) => {
    const source = node.kind === 'text' ? node.text : sourceText(node.written, node.offset);
    try {
      const text = withoutBraces(source);
      const expression = place.findings.isBegun ? laxExpression(text) : parseExpression(text);
      place.use([expression]);
      return expression;
    } catch (error) {
      return place.expressionProblem(error);
    }
  }),
);

/** What is between the braces, where they are around all of it. */
function withoutBraces(source: SourceText): SourceText {
  if (!source.text.trimStart().startsWith('${{')) return source;
  const parts = templateParts(source).filter((part) => part.kind !== 'text' || part.text.trim() !== '');
  const [first] = parts;
  if (first?.kind === 'unclosed') throw new ExpressionError(unclosedMessage, '', first.source.at(0));
  return parts.length === 1 && first?.kind === 'expression' ? first.source : source;
}
