import type { JsonValue } from '@cosi-ts/resource';
import type { Reference } from './references.js';
import { childrenOf, type Node } from './tree.js';

/** Something of the scope that is compared with a constant: `steps.build.state == 'failed'`. */
export interface Comparison {
  readonly reference: Reference;
  readonly value: JsonValue;
  /** Where the constant is in the text of the definition. */
  readonly offset: number;
}

const equalities: ReadonlySet<string> = new Set(['_==_', '_!=_']);

/** What `==`, `!=` and `in` compare of the scope with constants. @param referenceTo what a part refers to, as a whole */
export function comparisonsOf(
  tree: Node,
  offsetOf: (node: Node) => number,
  referenceTo: (node: Node) => Reference | undefined,
): readonly Comparison[] {
  const found: Comparison[] = [];
  const compare = (operand: Node, other: Node): void => {
    const reference = referenceTo(operand);
    const value = constantOf(other);
    if (reference !== undefined && value !== undefined) found.push({ reference, value, offset: offsetOf(other) });
  };
  const visit = (node: Node): void => {
    const { exprKind } = node;
    const [left, right] = exprKind.case === 'callExpr' ? exprKind.value.args : [];
    if (exprKind.case === 'callExpr' && left !== undefined && right !== undefined) {
      if (equalities.has(exprKind.value.function)) {
        compare(left, right);
        compare(right, left);
      } else if (exprKind.value.function === '@in' && right.exprKind.case === 'listExpr') {
        for (const item of right.exprKind.value.elements) compare(left, item);
      }
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(tree);
  return found;
}

function constantOf({ exprKind }: Node): JsonValue | undefined {
  if (exprKind.case !== 'constExpr') return undefined;
  const { case: kind, value } = exprKind.value.constantKind;
  switch (kind) {
    case 'stringValue':
    case 'boolValue':
    case 'doubleValue':
      return value;
    case 'int64Value':
    case 'uint64Value':
      return Number(value);
    case 'nullValue':
      return null;
    default:
      return undefined;
  }
}
