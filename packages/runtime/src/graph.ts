import { compareUtf8 } from '@cosi-ts/resource';
import type { ControllerReport, InputReport } from './report.js';

/** Which controllers read and write which resources: plain data, in an order that does not depend on registration. */
export interface Graph {
  /** Controllers, then types of resources, by name. */
  readonly nodes: readonly GraphNode[];
  /** In the order of source, target, kind, namespace and id. */
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  readonly kind: 'controller' | 'resource';
  /** Of a controller its name, of resources their type. */
  readonly name: string;
}

export interface GraphEdge {
  /** An output goes from the controller to the type, an input from the type to the controller. */
  readonly kind: 'exclusive' | 'shared' | InputReport['kind'];
  readonly controller: string;
  readonly type: string;
  /** Of an input. */
  readonly namespace: string | undefined;
  /** Of an input of one resource. */
  readonly id: string | undefined;
}

export function graphOf(controllers: readonly Pick<ControllerReport, 'name' | 'inputs' | 'outputs'>[]): Graph {
  const edges: GraphEdge[] = controllers.flatMap(({ name, inputs, outputs }) => [
    ...outputs.map(({ kind, type }) => ({ kind, controller: name, type, namespace: undefined, id: undefined })),
    ...inputs.map(({ kind, type, namespace, id }) => ({ kind, controller: name, type, namespace, id })),
  ]);
  const node = (kind: GraphNode['kind'], names: Iterable<string>): GraphNode[] =>
    [...new Set(names)].sort(compareUtf8).map((name) => ({ kind, name }));
  return {
    nodes: [
      ...node(
        'controller',
        controllers.map(({ name }) => name),
      ),
      ...node(
        'resource',
        edges.map(({ type }) => type),
      ),
    ],
    edges: edges.sort(compareEdges),
  };
}

/** In the language of Graphviz. Outputs are solid, and bold when they are exclusive; weak inputs are dotted, others dashed. */
export function graphToDot({ nodes, edges }: Graph): string {
  const lines = [
    ...nodes.map(({ kind, name }) => `${idOf(kind, name)} [label=${quoted(name)}, shape=${shapes[kind]}];`),
    ...edges.map((edge) => {
      const [from, to] = endsOf(edge);
      const label = edge.id === undefined ? edge.kind : `${edge.kind} ${edge.id}`;
      return `${idOf(...from)} -> ${idOf(...to)} [label=${quoted(label)}, style=${styleOf(edge)}];`;
    }),
  ];
  return `digraph {\n  rankdir=LR;\n${lines.map((line) => `  ${line}\n`).join('')}}\n`;
}

/** Indented; what an edge has not is left out. */
export function graphToJson(graph: Graph): string {
  return `${JSON.stringify(graph, null, 2)}\n`;
}

const shapes = { controller: 'box', resource: 'note' } as const;

type End = readonly [kind: GraphNode['kind'], name: string];

function endsOf({ kind, controller, type }: GraphEdge): readonly [from: End, to: End] {
  const ends = [
    ['controller', controller],
    ['resource', type],
  ] as const;
  return isOutput(kind) ? ends : [ends[1], ends[0]];
}

function isOutput(kind: GraphEdge['kind']): boolean {
  return kind === 'exclusive' || kind === 'shared';
}

function styleOf({ kind }: GraphEdge): string {
  if (kind === 'exclusive') return 'bold';
  if (kind === 'shared') return 'solid';
  return kind === 'weak' ? 'dotted' : 'dashed';
}

/** A controller may be called like a type. */
function idOf(kind: GraphNode['kind'], name: string): string {
  return quoted(`${kind} ${name}`);
}

/** In labels a backslash begins an escape; a line break would be one of the text. */
function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

function compareEdges(a: GraphEdge, b: GraphEdge): number {
  const key = (edge: GraphEdge) => {
    const [from, to] = endsOf(edge);
    return [...from, ...to, edge.kind, edge.namespace ?? '', edge.id ?? ''];
  };
  const [keysA, keysB] = [key(a), key(b)];
  for (const [i, part] of keysA.entries()) {
    const order = compareUtf8(part, keysB[i] as string);
    if (order !== 0) return order;
  }
  return 0;
}
