import { call, type Node, nodesOf } from './tree.js';

/**
 * Makes `default(value, other)` what it stands for, in place. A function could not do it: it is not called when one of
 * its arguments cannot be evaluated. `@not_strictly_false` is how CEL names "true, or not to be evaluated".
 */
export function expandDefaults(tree: Node): void {
  for (const node of nodesOf(tree)) {
    const { exprKind } = node;
    if (exprKind.case !== 'callExpr') continue;
    const { function: called, target, args } = exprKind.value;
    const [value, other] = args;
    if (called !== 'default' || target !== undefined || value === undefined || other === undefined || args.length > 2) {
      continue;
    }
    const nothing: Node = {
      $typeName: 'cel.expr.Expr',
      id: node.id,
      exprKind: {
        case: 'constExpr',
        value: { $typeName: 'cel.expr.Constant', constantKind: { case: 'nullValue', value: 0 } },
      },
    };
    const isNull = call(node.id, '_==_', [value, nothing]);
    const isMissing = call(node.id, '@not_strictly_false', [isNull]);
    node.exprKind = call(node.id, '_?_:_', [isMissing, other, value]).exprKind;
  }
}
