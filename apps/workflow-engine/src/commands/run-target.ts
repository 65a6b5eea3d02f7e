import { existsSync } from 'node:fs';
import { parseDefinition } from '../definition/parse-definition.js';
import { type Problem, problemExcerpt, problemLine } from '../definition/problem.js';
import type { WorkflowView } from '../http/workflow-view.js';
import { type EngineClient, part } from './engine-client.js';
import { CommandError } from './engine-error.js';
import type { KnownInput } from './input-values.js';
import { readText } from './read-text.js';

/** What is to be run: the text of a file, or a workflow that the engine has. */
export type RunTarget =
  | { readonly kind: 'source'; readonly source: string; readonly inputs: readonly KnownInput[] }
  | { readonly kind: 'workflow'; readonly workflow: string };

/** A file that is there is meant, and what looks like the name of one; anything else is the name of a workflow. */
export function isFileName(text: string): boolean {
  return text === '-' || /[/\\]|\.ya?ml$/i.test(text) || existsSync(text);
}

/** Reads the file, and says what is wrong with it before anybody is asked to run it. */
export async function readTarget(text: string): Promise<RunTarget> {
  if (!isFileName(text)) return { kind: 'workflow', workflow: text };
  const source = await readText(text, 'the workflow');
  const { definition, problems } = parseDefinition(source);
  if (definition === undefined) throw new CommandError(problemLines(source, problems, text).join('\n'));
  const inputs = Array.from(definition.inputs, ([name, { type }]) => ({ name, type }));
  return { kind: 'source', source, inputs };
}

/** The inputs that are known of it. */
export async function inputsOf(target: RunTarget, client: EngineClient): Promise<readonly KnownInput[]> {
  if (target.kind === 'source') return target.inputs;
  return (await client.get<WorkflowView>(`/workflows/${part(target.workflow)}`)).inputs;
}

/** What is wrong with a definition, as compilers tell it. */
export function problemLines(source: string, problems: readonly Problem[], file: string): readonly string[] {
  return problems.flatMap((problem) => [
    problemLine(problem, file),
    ...problemExcerpt(source, problem)
      .split('\n')
      .map((line) => `    ${line}`),
  ]);
}
