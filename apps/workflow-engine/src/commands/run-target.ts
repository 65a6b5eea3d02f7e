import { existsSync } from 'node:fs';
import type { Definition } from '../definition/definition.js';
import { parseDefinition } from '../definition/parse-definition.js';
import { problemExcerpt, problemLine } from '../definition/problem.js';
import { noExecutor } from '../definition/step-syntax.js';
import type { ProblemView, ValidationView } from '../http/workflow-text.js';
import type { WorkflowView } from '../http/workflow-view.js';
import { type EngineClient, part } from './engine-client.js';
import { CommandError, EngineError } from './engine-error.js';
import type { KnownInput } from './input-values.js';
import { readText } from './read-text.js';

/** What is to be run: the text of a file, or a workflow that the engine has. */
export type RunTarget =
  | { readonly kind: 'source'; readonly source: string; readonly file: string }
  | { readonly kind: 'workflow'; readonly workflow: string };

/** A file that is there is meant, and what looks like the name of one; anything else is the name of a workflow. */
export function isFileName(text: string): boolean {
  return text === '-' || /[/\\]|\.ya?ml$/i.test(text) || existsSync(text);
}

export async function readTarget(text: string): Promise<RunTarget> {
  if (!isFileName(text)) return { kind: 'workflow', workflow: text };
  return { kind: 'source', source: await readText(text, 'the workflow'), file: text };
}

/** How an executor gets in, whose key there is not, by what is done with the file. */
const ways = {
  local: 'give its module with --plugin FILE',
  graph: 'name it with --executor NAME',
  engine: 'start the engine with "workflow serve --plugin FILE"',
  noEngine: 'start an engine with "workflow serve --plugin FILE", or give its module with --local --plugin FILE',
} as const;

type Way = keyof typeof ways;

/** Checks a definition without an engine. Throws a {@link CommandError} that tells all that is wrong with it. */
export function checkHere(source: string, file: string, way: Way, executors: readonly string[] = []): Definition {
  const { definition, problems } = parseDefinition(source, { executors });
  if (definition === undefined) throw wrong(source, problems, file, way);
  return definition;
}

function wrong(source: string, problems: readonly ProblemView[], file: string, way: Way): CommandError {
  const isExecutor = problems.some(({ message }) => message.includes(noExecutor));
  const hint = isExecutor ? [`  of a step that an executor of a plugin does: ${ways[way]}`] : [];
  return new CommandError([...problemLines(source, problems, file), ...hint].join('\n'));
}

/**
 * Has the engine check a definition, because it knows which executors are plugged in, and gives the inputs of it.
 * Rejects with a {@link CommandError} that tells all that is wrong with it.
 */
export async function checkThere(
  source: string,
  file: string,
  client: EngineClient,
  way: Way = 'engine',
): Promise<readonly KnownInput[]> {
  const { ok, problems, inputs } = await client.sendYaml<ValidationView>('POST', '/validate', source);
  if (!ok) throw wrong(source, problems, file, way);
  return inputs;
}

/** The inputs of what is to be run, which is in order. */
export async function inputsOf(target: RunTarget, client: EngineClient): Promise<readonly KnownInput[]> {
  if (target.kind === 'source') return checkThere(target.source, target.file, client);
  try {
    return (await client.get<WorkflowView>(`/workflows/${part(target.workflow)}`)).inputs;
  } catch (error) {
    if (!(error instanceof EngineError) || error.status !== 404) throw error;
    const hint = 'workflow get workflows lists those of the engine; a file is named with its .yaml';
    throw new CommandError(`${error.message}\n  ${hint}`, error.exitCode, { cause: error });
  }
}

/** What is wrong with a definition, as compilers tell it. */
export function problemLines(source: string, problems: readonly ProblemView[], file: string): readonly string[] {
  return problems.flatMap((problem) => [
    problemLine({ ...problem, offset: 0 }, file),
    ...problemExcerpt(source, { ...problem, offset: 0 })
      .split('\n')
      .map((line) => `    ${line}`),
  ]);
}
