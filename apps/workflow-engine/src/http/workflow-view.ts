import type { JsonValue, TypedResource } from '@cosi-ts/resource';
import type { Definition } from '../definition/definition.js';
import type { DefinitionCache } from '../definition/definition-cache.js';
import { type GraphNode, graphOf } from '../definition/graph.js';
import type { WorkflowSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';

export interface InputView {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly required: boolean;
  readonly default: JsonValue;
  readonly options: readonly JsonValue[];
}

/** A workflow as lists and events tell of it. */
export interface WorkflowView {
  readonly name: string;
  readonly description: string;
  /** False of a definition that is wrong, which was stored past this API. */
  readonly valid: boolean;
  readonly inputs: readonly InputView[];
  readonly steps: readonly GraphNode[];
  readonly created: string;
  readonly updated: string;
}

export function workflowView(
  { metadata, spec }: TypedResource<WorkflowSpec>,
  definitions: DefinitionCache,
): WorkflowView {
  const { definition } = definitions.parse(spec.source);
  return {
    name: metadata.id,
    description: definition?.description ?? '',
    valid: definition !== undefined,
    inputs: definition === undefined ? [] : inputViews(definition),
    steps: definition === undefined ? [] : graphOf(definition).nodes,
    created: metadata.created.toString(),
    updated: metadata.updated.toString(),
  };
}

export function inputViews({ inputs }: Definition): readonly InputView[] {
  return Array.from(inputs, ([name, { type, description, default: preset, options }]) => ({
    name,
    type,
    description,
    required: preset === undefined,
    default: preset ?? null,
    options,
  }));
}
