import { childrenOf, type Node, qualifiedName } from './tree.js';

/** A name that an expression refers to, with what follows it as far as that is certain: `steps.build.outputs`. */
export interface Reference {
  /** `steps`. */
  readonly root: string;
  /** `['build', 'outputs']`. Fields, and indexes that are texts. */
  readonly path: readonly string[];
  /** Where the root is in the text of the definition. */
  readonly offset: number;
  /** Where each part of the path is. */
  readonly pathOffsets: readonly number[];
}

/**
 * What is referred to, by the part of the tree that does, in the order of the text. Variables of `map`, `filter` and the
 * like are not among it.
 */
export function referencesOf(
  tree: Node,
  offsetOf: (node: Node) => number,
  isFunction: (name: string) => boolean,
): ReadonlyMap<Node, Reference> {
  const found = new Map<Node, Reference>();
  const visit = (node: Node, bound: ReadonlySet<string>): void => {
    const chain = chainOf(node);
    if (chain !== undefined) {
      const [root, ...path] = chain;
      if (!bound.has(root.name)) {
        found.set(node, {
          root: root.name,
          path: path.map(({ name }) => name),
          offset: offsetOf(root.node),
          pathOffsets: path.map((part) => offsetOf(part.node)),
        });
      }
      return;
    }
    const { exprKind } = node;
    if (exprKind.case === 'comprehensionExpr') {
      const { iterRange, iterVar, accuVar, accuInit, loopCondition, loopStep, result } = exprKind.value;
      const inner = new Set([...bound, iterVar, accuVar]);
      if (iterRange !== undefined) visit(iterRange, bound);
      for (const part of [accuInit, loopCondition, loopStep, result]) if (part !== undefined) visit(part, inner);
      return;
    }
    if (exprKind.case === 'callExpr' && exprKind.value.target !== undefined) {
      const { target, args, function: called } = exprKind.value;
      const qualified = qualifiedName(target);
      if (qualified !== undefined && isFunction(`${qualified}.${called}`)) {
        for (const argument of args) visit(argument, bound);
        return;
      }
    }
    for (const child of childrenOf(node)) visit(child, bound);
  };
  visit(tree, new Set());
  return found;
}

interface Link {
  readonly name: string;
  readonly node: Node;
}

/** `[steps, build, outputs]` of `steps.build.outputs` and of `steps['build'].outputs`; undefined of anything else. */
function chainOf(node: Node): [Link, ...Link[]] | undefined {
  const { exprKind } = node;
  switch (exprKind.case) {
    case 'identExpr':
      return [{ name: exprKind.value.name, node }];
    case 'selectExpr': {
      const { operand, field } = exprKind.value;
      const chain = operand === undefined ? undefined : chainOf(operand);
      chain?.push({ name: field, node });
      return chain;
    }
    case 'callExpr': {
      const [operand, index] = exprKind.value.args;
      if (exprKind.value.function !== '_[_]' || operand === undefined || index === undefined) return undefined;
      const { exprKind: constant } = index;
      if (constant.case !== 'constExpr' || constant.value.constantKind.case !== 'stringValue') return undefined;
      const chain = chainOf(operand);
      chain?.push({ name: constant.value.constantKind.value, node: index });
      return chain;
    }
    default:
      return undefined;
  }
}
