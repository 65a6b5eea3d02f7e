import type { parse } from '@bufbuild/cel';

/** An expression as the parser gives it, with its macros expanded. */
export type ParsedTree = ReturnType<typeof parse>;
/** A part of one. */
export type Node = ParsedTree['expr'];

/** The parts that a part is made of, in the order of the text; of a comprehension the list first. */
export function childrenOf(node: Node): readonly Node[] {
  const { exprKind } = node;
  switch (exprKind.case) {
    case 'selectExpr':
      return present([exprKind.value.operand]);
    case 'callExpr':
      return present([exprKind.value.target, ...exprKind.value.args]);
    case 'listExpr':
      return exprKind.value.elements;
    case 'structExpr':
      return present(
        exprKind.value.entries.flatMap(({ keyKind, value }) => [
          keyKind.case === 'mapKey' ? keyKind.value : undefined,
          value,
        ]),
      );
    case 'comprehensionExpr': {
      const { iterRange, accuInit, loopCondition, loopStep, result } = exprKind.value;
      return present([iterRange, accuInit, loopCondition, loopStep, result]);
    }
    default:
      return [];
  }
}

function present(nodes: readonly (Node | undefined)[]): readonly Node[] {
  return nodes.filter((node) => node !== undefined);
}

/** All parts, a part before those that it is made of. */
export function* nodesOf(node: Node): Generator<Node> {
  yield node;
  for (const child of childrenOf(node)) yield* nodesOf(child);
}

/** `json` of `json`, `json.parse` of `json.parse`; undefined of anything but names and fields. */
export function qualifiedName(node: Node): string | undefined {
  const { exprKind } = node;
  if (exprKind.case === 'identExpr') return exprKind.value.name;
  if (exprKind.case !== 'selectExpr' || exprKind.value.operand === undefined) return undefined;
  const operand = qualifiedName(exprKind.value.operand);
  return operand === undefined ? undefined : `${operand}.${exprKind.value.field}`;
}

/** A part that calls a function, in the place of another. */
export function call(id: bigint, name: string, args: Node[]): Node {
  return {
    $typeName: 'cel.expr.Expr',
    id,
    exprKind: { case: 'callExpr', value: { $typeName: 'cel.expr.Expr.Call', function: name, args } },
  };
}
