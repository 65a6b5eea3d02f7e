import { InvalidArgumentError } from '@cosi-ts/resource';
import type { Definition } from '../definition/definition.js';
import { inputProblemsText, resolveInputs } from '../definition/inputs.js';
import type { WorkflowRunSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import type { JsonObject } from '../json.js';

/** The inputs of a run, with their defaults. Throws an error that names each input that is wrong. */
export function inputsOf({ inputs }: Pick<WorkflowRunSpec, 'inputs'>, definition: Definition): JsonObject {
  const given = inputs === '' ? {} : (JSON.parse(inputs) as JsonObject);
  const resolved = resolveInputs(definition, given);
  if (resolved.inputs !== undefined) return resolved.inputs;
  throw new InvalidArgumentError(`the inputs are wrong: ${inputProblemsText(resolved.problems)}`);
}
