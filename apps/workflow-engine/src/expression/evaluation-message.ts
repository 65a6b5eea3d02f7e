import { type CelError, unparse } from '@bufbuild/cel';
import { type Node, nodesOf } from './tree.js';

const operators: ReadonlyMap<string, string> = new Map([
  ['!_', '!'],
  ['-_', '-'],
  ['@in', 'in'],
]);

/** Why an expression has no value, in words of its author. The messages of the library speak of how it works. */
export function evaluationMessage(error: CelError, at: Node | undefined): string {
  const { message } = error;
  if (message === 'unresolved attribute') {
    const name = at?.exprKind.case === 'identExpr' ? at.exprKind.value.name : 'this';
    return `${name} is not known here`;
  }
  const field = /^field not found: (.*)$/s.exec(message)?.[1];
  if (field !== undefined) return `${operandOf(at)} has no ${field}`;
  const index = /^index (.*) out of bounds/.exec(message)?.[1];
  if (index !== undefined) return `there is nothing at the index ${index}`;
  const overload = /^found no matching overload for '?(\S+?)'? applied to '(.*?)\.?\((.*)\)'$/.exec(message);
  if (overload !== null) return mismatch(overload[1] ?? '', overload[2] ?? '', overload[3] ?? '');
  const number = /^Cannot convert (.*) to a BigInt$/s.exec(message)?.[1];
  if (number !== undefined) return `${JSON.stringify(number)} is no whole number`;
  const divided = /(divide|modulus) by zero/.test(message);
  return divided ? 'this divides by zero' : message.replace(/^type mismatch: /, 'the types do not fit: ');
}

function mismatch(name: string, target: string, types: string): string {
  const operator = operators.get(name) ?? /^_(.{1,2})_$/.exec(name)?.[1];
  if (name === '_?_:_') return `before ? there must be a bool, and not ${article(types)}`;
  if (operator === undefined) {
    return `${name} cannot be called ${target === '' ? '' : `on ${article(target)} `}with ${types === '' ? 'nothing' : `(${types})`}`;
  }
  const advice = operator === '+' && /\bstring\b/.test(types) ? ': write string(…) to make a text of the other' : '';
  return `${operator} is not there for ${types.split(', ').join(' and ')}${advice}`;
}

function article(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function operandOf(node: Node | undefined): string {
  if (node?.exprKind.case !== 'selectExpr' || node.exprKind.value.operand === undefined) return 'it';
  return unparse(node.exprKind.value.operand);
}

/** The part of the expression that the error is about. */
export function partOfError(error: CelError, tree: Node): Node | undefined {
  for (const node of nodesOf(tree)) if (node.id === error.exprId) return node;
  return undefined;
}
