import type { Definition, StepDefinition } from './definition.js';

/** The steps of a definition, and what must be over before what. */
export interface DefinitionGraph {
  readonly name: string;
  /** In the order of the definition, those of `finally` last. */
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  readonly step: string;
  readonly section: 'steps' | 'finally';
  /** What the step does: `run`, `http`, `approve`, … the name of an executor, or `none`. */
  readonly kind: string;
  /** How many executions it has: one, one for each item, or one for each round. */
  readonly executions: 'one' | 'items' | 'rounds';
  /** By which outcome of what it needs it is executed. */
  readonly on: StepDefinition['on'];
  /** The condition, as it was written. */
  readonly when: string | undefined;
  /** How many of those that it needs must succeed. */
  readonly join: 'all' | number;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /**
   * - `needs`: `to` waits for `from`.
   * - `join`: `to` waits for some of those that it needs, and `from` is one of them.
   * - `finally`: `to` waits for all steps, of which `from` is one of the last.
   */
  readonly kind: 'needs' | 'join' | 'finally';
}

export function graphOf(definition: Definition): DefinitionGraph {
  const steps = [...definition.steps.values()];
  const last = [...definition.finally.values()];
  const needed = new Set(steps.flatMap(({ needs }) => needs.steps));
  const ends = steps.filter(({ name }) => !needed.has(name));
  const begins = last.filter(({ needs }) => needs.steps.length === 0);
  return {
    name: definition.name,
    nodes: [...steps.map((step) => nodeOf(step, 'steps')), ...last.map((step) => nodeOf(step, 'finally'))],
    edges: [
      ...[...steps, ...last].flatMap(edgesTo),
      ...ends.flatMap((from) => begins.map((to): GraphEdge => ({ from: from.name, to: to.name, kind: 'finally' }))),
    ],
  };
}

function nodeOf(step: StepDefinition, section: GraphNode['section']): GraphNode {
  const { name, on, when, needs, forEach, repeat } = step;
  return {
    step: name,
    section,
    kind: kindOf(step),
    executions: forEach !== undefined ? 'items' : repeat !== undefined ? 'rounds' : 'one',
    on,
    when: when?.source,
    join: needs.join,
  };
}

function kindOf({ action }: StepDefinition): string {
  if (action.kind === 'other') return action.executor;
  return action.kind === 'wait' && action.approval !== undefined ? 'approve' : action.kind;
}

function edgesTo({ name, needs }: StepDefinition): readonly GraphEdge[] {
  const kind = needs.join === 'all' || needs.join === needs.steps.length ? 'needs' : 'join';
  return needs.steps.map((from) => ({ from, to: name, kind }));
}

/** The graph in the language of Graphviz. */
export function dotOf({ name, nodes, edges }: DefinitionGraph): string {
  const last = nodes.filter(({ section }) => section === 'finally');
  return [
    `digraph ${quoted(name)} {`,
    '  rankdir=LR;',
    '  node [shape=box, style=rounded, fontname="sans-serif"];',
    '  edge [fontname="sans-serif", fontsize=10];',
    ...nodes.filter(({ section }) => section === 'steps').map((node) => `  ${dotNode(node)}`),
    ...(last.length === 0
      ? []
      : [
          '  subgraph cluster_finally {',
          '    label="finally"; style=dashed;',
          ...last.map((node) => `    ${dotNode(node)}`),
          '  }',
        ]),
    ...edges.map((edge) => `  ${dotEdge(edge, nodes)}`),
    '}',
    '',
  ].join('\n');
}

const shapes: Readonly<Record<string, string>> = {
  approve: 'octagon',
  wait: 'octagon',
  none: 'ellipse',
  workflow: 'component',
};

function dotNode({ step, kind, executions, when }: GraphNode): string {
  const how = executions === 'one' ? kind : `${kind}, ${executions === 'items' ? 'for each item' : 'repeated'}`;
  const label = [step, how, ...(when === undefined ? [] : [`when ${when}`])].join('\n');
  const shape = shapes[kind];
  return `${quoted(step)} [label=${quoted(label)}${shape === undefined ? '' : `, shape=${shape}`}${executions === 'one' ? '' : ', peripheries=2'}];`;
}

function dotEdge({ from, to, kind }: GraphEdge, nodes: readonly GraphNode[]): string {
  const target = nodes.find(({ step }) => step === to);
  const attributes: string[] = [];
  if (kind === 'join')
    attributes.push(`label=${quoted(target?.join === 1 ? 'any' : `${target?.join} of them`)}`, 'style=dashed');
  else if (kind === 'finally') attributes.push('style=dotted');
  if (kind !== 'finally' && target?.on !== 'success') attributes.push(`xlabel=${quoted(`on ${target?.on}`)}`);
  return `${quoted(from)} -> ${quoted(to)}${attributes.length === 0 ? '' : ` [${attributes.join(', ')}]`};`;
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
