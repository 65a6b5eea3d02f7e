import type { GraphEdge, GraphNode } from '../definition/graph.js';
import { markOf } from './step-line.js';
import { paintState, type Terminal } from './terminal.js';

interface DrawnNode extends GraphNode {
  readonly state?: string;
}

export interface DrawnGraph {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly GraphEdge[];
}

/**
 * The graph in lines, one for each step, from above to below, with lanes to its left: each lane leads down from a step
 * to one that needs it.
 */
export function textGraph({ nodes, edges }: DrawnGraph, terminal: Pick<Terminal, 'hasColors'>): readonly string[] {
  const lines: string[] = [];
  /** The step that each lane leads to; undefined: the lane is free. */
  let lanes: (string | undefined)[] = [];
  for (const node of inOrder(nodes, edges)) {
    const coming = lanes.flatMap((to, i) => (to === node.step ? [i] : []));
    const column = coming[0] ?? freeLane(lanes);
    if (coming.length > 1) lines.push(mergeLine(lanes, coming));
    for (const i of coming) lanes[i] = undefined;
    lanes = trimmed(lanes);
    lines.push(nodeLine(lanes, column, node, terminal));
    const targets = edges.filter(({ from }) => from === node.step).map(({ to }) => to);
    const going = targets.map((to, i) => {
      const lane = i === 0 ? column : freeLane(lanes, column);
      lanes[lane] = to;
      return lane;
    });
    if (going.length > 1) lines.push(forkLine(lanes, going));
    // Without a line between them, what follows could as well be a step of its own.
    else if (going.length === 1)
      lines.push(
        lanes
          .map((to) => (to === undefined ? ' ' : '│'))
          .join(' ')
          .trimEnd(),
      );
    lanes = trimmed(lanes);
  }
  return lines;
}

/** Each step after all that it needs, and else in the order of the definition. */
function inOrder(nodes: readonly DrawnNode[], edges: readonly GraphEdge[]): readonly DrawnNode[] {
  const left = new Map(nodes.map((node) => [node.step, node]));
  const order: DrawnNode[] = [];
  while (left.size > 0) {
    const ready = [...left.values()].filter(({ step }) => !edges.some(({ from, to }) => to === step && left.has(from)));
    // A circle is no definition; whatever it is, it is drawn.
    const next = ready.length > 0 ? ready : [...left.values()];
    for (const node of next) left.delete(node.step);
    order.push(...next);
  }
  return order;
}

function freeLane(lanes: readonly (string | undefined)[], taken = -1): number {
  const free = lanes.findIndex((to, i) => to === undefined && i !== taken);
  if (free >= 0) return free;
  return Math.max(lanes.length, taken + 1);
}

/** Without free lanes at the right. */
function trimmed(lanes: readonly (string | undefined)[]): (string | undefined)[] {
  return lanes.slice(0, lanes.findLastIndex((to) => to !== undefined) + 1);
}

function nodeLine(
  lanes: readonly (string | undefined)[],
  column: number,
  node: DrawnNode,
  terminal: Pick<Terminal, 'hasColors'>,
): string {
  const width = Math.max(lanes.length, column + 1);
  const state = node.state ?? '';
  const mark = state === '' ? '●' : paintState(markOf(state), state, terminal);
  const cells = Array.from({ length: width }, (_, i) => (i === column ? mark : lanes[i] === undefined ? ' ' : '│'));
  return `${cells.join(' ')}  ${labelOf(node)}`;
}

function labelOf({ step, kind, executions, when, on, join, section, state }: DrawnNode): string {
  const facts = [
    kind,
    ...(executions === 'items' ? ['for each item'] : executions === 'rounds' ? ['repeated'] : []),
    ...(on === 'success' ? [] : [`on ${on}`]),
    ...(join === 'all' ? [] : [join === 1 ? 'after any' : `after ${join} of them`]),
    ...(section === 'finally' ? ['finally'] : []),
    ...(when === undefined ? [] : [`when ${when}`]),
    ...(state === undefined ? [] : [state]),
  ];
  return `${step}  (${facts.join(', ')})`;
}

function mergeLine(lanes: readonly (string | undefined)[], coming: readonly number[]): string {
  return joined(lanes, coming, coming[0] ?? 0, { left: '╰', middle: '┴', right: '╯' });
}

function forkLine(lanes: readonly (string | undefined)[], going: readonly number[]): string {
  const [column = 0] = going;
  return joined(
    lanes,
    [...going].sort((a, b) => a - b),
    column,
    { left: '╭', middle: '┬', right: '╮' },
  );
}

/** One line that ties some lanes to that of a step. */
function joined(
  lanes: readonly (string | undefined)[],
  tied: readonly number[],
  column: number,
  marks: { readonly left: string; readonly middle: string; readonly right: string },
): string {
  const [first = 0] = tied;
  const last = tied.at(-1) ?? first;
  let line = '';
  for (let i = 0; i < Math.max(lanes.length, last + 1); i++) {
    const isBetween = i > first && i < last;
    if (i === column) line += i === first ? '├' : i === last ? '┤' : '┼';
    else if (tied.includes(i)) line += i === first ? marks.left : i === last ? marks.right : marks.middle;
    else if (lanes[i] !== undefined) line += isBetween ? '┼' : '│';
    else line += isBetween ? '─' : ' ';
    line += i >= first && i < last ? '─' : ' ';
  }
  return line.trimEnd();
}
