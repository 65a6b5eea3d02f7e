import type { JsonValue } from '@cosi-ts/resource';
import type { CallOptions } from '@cosi-ts/state';
import type { DefinitionCache } from '../definition/definition-cache.js';
import { type DefinitionGraph, dotOf, graphOf } from '../definition/graph.js';
import type { ExecutionView } from './execution-view.js';
import { executionParts, executionView } from './execution-view.js';
import { jsonOf } from './json-text.js';
import { type FindState, type RunParts, type RunView, runView, type StepSummaryView } from './run-view.js';
import { type WaitView, waitsOf } from './run-waits.js';

/** A step of a run, with what its definition says of it. */
export interface StepView extends StepSummaryView {
  readonly section: 'steps' | 'finally';
  readonly kind: string;
  readonly executions: 'one' | 'items' | 'rounds';
  readonly needs: readonly string[];
  /** The execution of a step that has one; of others what is known of the step as a whole. Null: nothing. */
  readonly execution: ExecutionView | null;
}

/** One run in full, but for the executions of steps with items, which come in pages. */
export interface RunDetail extends Omit<RunView, 'steps'> {
  readonly source: string;
  readonly inputs: JsonValue;
  readonly outputs: JsonValue;
  readonly steps: readonly StepView[];
  readonly waits: readonly WaitView[];
}

export async function runDetail(
  state: FindState,
  parts: RunParts,
  definitions: DefinitionCache,
  options: CallOptions,
): Promise<RunDetail> {
  const { run, status } = parts;
  const view = runView(parts);
  const { definition } = definitions.parseBegun(run.spec.source);
  const known = new Map(view.steps.map((step) => [step.step, step]));
  const graph = definition === undefined ? undefined : graphOf(definition);
  const steps = await Promise.all(
    (graph?.nodes ?? []).map(async ({ step, section, kind, executions }): Promise<StepView> => {
      const execution = await executionParts(state, run.metadata.id, { step, index: -1 }, options);
      const isKnown = execution.attempt !== undefined || execution.result !== undefined;
      return {
        ...(known.get(step) ?? unknownStep(step)),
        section,
        kind,
        executions,
        needs:
          graph?.edges.flatMap(({ from, to, kind: edge }) => (to === step && edge !== 'finally' ? [from] : [])) ?? [],
        execution: isKnown ? executionView(execution) : null,
      };
    }),
  );
  return {
    ...view,
    source: run.spec.source,
    inputs: jsonOf(run.spec.inputs) ?? {},
    outputs: jsonOf(status?.spec.outputs ?? ''),
    steps,
    waits: definition === undefined ? [] : await waitsOf(state, run.metadata.id, definition, options),
  };
}

/** The graph of a run, each step with its state. Undefined when its definition is wrong. */
export function runGraph({ run, status }: RunParts, definitions: DefinitionCache): RunGraph | undefined {
  const { definition } = definitions.parseBegun(run.spec.source);
  if (definition === undefined) return undefined;
  const states = new Map(status?.spec.steps.map(({ step, state }) => [step, state]));
  const graph = graphOf(definition);
  return { ...graph, nodes: graph.nodes.map((node) => ({ ...node, state: states.get(node.step) ?? 'pending' })) };
}

export interface RunGraph extends DefinitionGraph {
  readonly nodes: readonly (DefinitionGraph['nodes'][number] & { readonly state: string })[];
}

const colors: Readonly<Record<string, string>> = {
  pending: '#9aa0a6',
  running: '#1a73e8',
  waiting: '#b06000',
  succeeded: '#188038',
  failed: '#d93025',
  skipped: '#9aa0a6',
  cancelled: '#80868b',
};

/** The graph in the language of Graphviz, with a colour for each state. */
export function runDot(graph: RunGraph): string {
  const painted = graph.nodes.map(
    ({ step, state }) =>
      `  ${JSON.stringify(step)} [color=${JSON.stringify(colors[state] ?? colors.pending)}, tooltip=${JSON.stringify(state)}];`,
  );
  return dotOf(graph).replace(/\}\n$/, `${painted.join('\n')}\n}\n`);
}

function unknownStep(step: string): StepSummaryView {
  return { step, state: 'pending', total: 0, running: 0, succeeded: 0, failed: 0, dropped: 0 };
}
