import { suggestion } from '../expression/near-names.js';
import type { Template } from '../expression/template.js';
import type { InputDefinition } from './definition.js';
import { inputMistake, missingInput } from './inputs.js';
import type { Findings } from './syntax/place.js';
import type { ReadEntry, ReadSteps } from './workflow-syntax.js';

/** The inputs of workflows that are known, by the name of the workflow. */
export type KnownWorkflows = ReadonlyMap<string, ReadonlyMap<string, InputDefinition>>;

/** Reports steps that run a workflow with inputs that it has not, without those that it needs, or with wrong ones. */
export function checkCalls(
  sections: Readonly<Record<'steps' | 'finally', ReadSteps>>,
  workflows: KnownWorkflows,
  findings: Findings,
): void {
  for (const section of ['steps', 'finally'] as const) {
    for (const [name, entry] of sections[section]) {
      const action = entry.step?.definition.action;
      const inputs = action?.kind === 'workflow' ? workflows.get(action.workflow) : undefined;
      if (action?.kind !== 'workflow' || inputs === undefined) continue;
      const report = (offset: number, key: string | undefined, message: string): void =>
        findings.report(offset, [section, name, ...(key === undefined ? ['workflow'] : ['with', key])], message);
      checkCall(action.workflow, action.with, inputs, entry, report);
    }
  }
}

function checkCall(
  workflow: string,
  given: ReadonlyMap<string, Template>,
  inputs: ReadonlyMap<string, InputDefinition>,
  { step, keyOffset }: ReadEntry,
  report: (offset: number, key: string | undefined, message: string) => void,
): void {
  for (const [key, { source, expressions }] of given) {
    const at = step?.argumentOffsets.get(key) ?? keyOffset;
    const input = inputs.get(key);
    if (input === undefined) {
      report(at, key, `the workflow ${workflow} has no input ${key}${otherInputs(key, [...inputs.keys()])}`);
      continue;
    }
    // What an expression gives is known when the step begins.
    const mistake = expressions.length > 0 || source === null ? undefined : inputMistake(source, input);
    if (mistake !== undefined) report(at, key, `of the workflow ${workflow}: ${mistake}`);
  }
  for (const [key, input] of inputs) {
    const value = given.get(key);
    const isGiven = value !== undefined && !(value.expressions.length === 0 && value.source === null);
    if (isGiven || input.default !== undefined) continue;
    report(keyOffset, undefined, `of the workflow ${workflow}, ${missingInput(key, input)}; add it to with`);
  }
}

function otherInputs(name: string, names: readonly string[]): string {
  const near = suggestion(name, names);
  if (near !== '') return near;
  return names.length === 0 ? '; it takes none' : `; there are ${names.join(', ')}`;
}
