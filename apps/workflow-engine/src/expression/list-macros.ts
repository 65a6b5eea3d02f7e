import { type CelFunc, type CelList, CelScalar, type CelValue, celFunc, celList, listType } from '@bufbuild/cel';
import { type Node, nodesOf } from './tree.js';

/** No name that an expression could hold. */
const append = '@append';

/**
 * Makes `map` and `filter` put one item after the other into one list, in place. As the parser expands them they add a
 * list of one to the list so far, which CEL does by nesting: lists of ten thousand would be too deep to be read.
 */
export function expandAppends(tree: Node): void {
  for (const { exprKind } of nodesOf(tree)) {
    if (exprKind.case !== 'comprehensionExpr') continue;
    const { accuInit, accuVar, loopStep } = exprKind.value;
    if (accuInit?.exprKind.case !== 'listExpr') continue;
    for (const step of [loopStep, ...argumentsOf(loopStep)]) {
      const [list] = argumentsOf(step);
      if (step?.exprKind.case !== 'callExpr' || step.exprKind.value.function !== '_+_') continue;
      if (list?.exprKind.case === 'identExpr' && list.exprKind.value.name === accuVar)
        step.exprKind.value.function = append;
    }
  }
}

function argumentsOf(node: Node | undefined): readonly Node[] {
  return node?.exprKind.case === 'callExpr' ? node.exprKind.value.args : [];
}

/** What lists that are growing are made of. Only the comprehension that makes such a list has it in hand meanwhile. */
const growing = new WeakMap<CelList, CelValue[]>();

const list = listType(CelScalar.DYN);

export const appendFunction: CelFunc = celFunc(append, [list, list], list, (sofar, more) => {
  const known = growing.get(sofar);
  if (known !== undefined) {
    known.push(...more);
    return sofar;
  }
  const items = [...sofar, ...more];
  const grown = celList(items);
  growing.set(grown, items);
  return grown;
});
