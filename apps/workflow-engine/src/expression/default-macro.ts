import { call, type Node, nodesOf } from './tree.js';

/** A name that no expression could hold. */
const known = '@value';

/**
 * Makes `default(value, other)` what it stands for, in place. A function could not do it: it is not called when one of
 * its arguments cannot be evaluated. `@not_strictly_false` is how CEL names "true, or not to be evaluated". A loop of one
 * turn gives the value a name: evaluated once for each time that it is asked for, defaults within each other would take
 * twice as long with each of them.
 */
export function expandDefaults(tree: Node): void {
  for (const node of nodesOf(tree)) {
    const { id, exprKind } = node;
    if (exprKind.case !== 'callExpr') continue;
    const { function: called, target, args } = exprKind.value;
    const [value, other] = args;
    if (called !== 'default' || target !== undefined || value === undefined || other === undefined || args.length > 2) {
      continue;
    }
    const isNull = call(id, '_==_', [named(id), constant(id, { case: 'nullValue', value: 0 })]);
    const isMissing = call(id, '@not_strictly_false', [isNull]);
    node.exprKind = {
      case: 'comprehensionExpr',
      value: {
        $typeName: 'cel.expr.Expr.Comprehension',
        iterVar: '@turns',
        iterVar2: '',
        iterRange: {
          $typeName: 'cel.expr.Expr',
          id,
          exprKind: {
            case: 'listExpr',
            value: {
              $typeName: 'cel.expr.Expr.CreateList',
              elements: [constant(id, { case: 'nullValue', value: 0 })],
              optionalIndices: [],
            },
          },
        },
        accuVar: known,
        accuInit: constant(id, { case: 'nullValue', value: 0 }),
        loopCondition: constant(id, { case: 'boolValue', value: true }),
        loopStep: value,
        result: call(id, '_?_:_', [isMissing, other, named(id)]),
      },
    };
  }
}

type Constant = Extract<Node['exprKind'], { readonly case: 'constExpr' }>['value'];

function constant(id: bigint, constantKind: Constant['constantKind']): Node {
  return {
    $typeName: 'cel.expr.Expr',
    id,
    exprKind: { case: 'constExpr', value: { $typeName: 'cel.expr.Constant', constantKind } },
  };
}

function named(id: bigint): Node {
  return {
    $typeName: 'cel.expr.Expr',
    id,
    exprKind: { case: 'identExpr', value: { $typeName: 'cel.expr.Expr.Ident', name: known } },
  };
}
