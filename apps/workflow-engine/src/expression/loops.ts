import {
  type CelFunc,
  type CelList,
  CelScalar,
  type CelValue,
  celFunc,
  celList,
  isCelList,
  isCelMap,
  listType,
} from '@bufbuild/cel';
import { spend } from './effort.js';
import { call, type Node, nodesOf } from './tree.js';

/** No names that an expression could hold. */
const append = '@append';
const turn = '@turn';
const counted = '@counted';

/**
 * Makes the loops that `map`, `filter`, `all` and the like have become count their turns, and lets `map` and `filter` put
 * one item after the other into one list, in place. As the parser expands them they add a list of one to the list so far,
 * which CEL does by nesting: lists of ten thousand would be too deep to be read.
 */
export function prepareLoops(tree: Node): void {
  for (const { id, exprKind } of [...nodesOf(tree)]) {
    if (exprKind.case !== 'comprehensionExpr') continue;
    const loop = exprKind.value;
    appendInPlace(loop);
    if (loop.iterRange !== undefined) loop.iterRange = call(id, counted, [loop.iterRange]);
    if (loop.loopCondition !== undefined)
      loop.loopCondition = call(id, '_&&_', [call(id, turn, []), loop.loopCondition]);
  }
}

type Loop = Extract<Node['exprKind'], { readonly case: 'comprehensionExpr' }>['value'];

function appendInPlace({ accuInit, accuVar, loopStep }: Loop): void {
  if (accuInit?.exprKind.case !== 'listExpr') return;
  for (const step of [loopStep, ...argumentsOf(loopStep)]) {
    const [list] = argumentsOf(step);
    if (step?.exprKind.case !== 'callExpr' || step.exprKind.value.function !== '_+_') continue;
    if (list?.exprKind.case === 'identExpr' && list.exprKind.value.name === accuVar)
      step.exprKind.value.function = append;
  }
}

function argumentsOf(node: Node | undefined): readonly Node[] {
  return node?.exprKind.case === 'callExpr' ? node.exprKind.value.args : [];
}

/** What lists that are growing are made of. Only the comprehension that makes such a list has it in hand meanwhile. */
const growing = new WeakMap<CelList, CelValue[]>();

const list = listType(CelScalar.DYN);

const appendFunction = celFunc(append, [list, list], list, (sofar, more) => {
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

const turnFunction = celFunc(turn, [], CelScalar.BOOL, () => {
  spend(10);
  return true;
});

/** The library makes a list of all items before the first turn. */
const countedFunction = celFunc(counted, [CelScalar.DYN], CelScalar.DYN, (items) => {
  if (isCelList(items) || isCelMap(items)) spend(items.size);
  return items;
});

/** What loops call that were prepared. */
export const loopFunctions: readonly CelFunc[] = [appendFunction, turnFunction, countedFunction];
