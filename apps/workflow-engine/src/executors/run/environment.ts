import type { Attempt } from '../executor.js';

/** What a process gets of the environment of the engine. */
export const inheritedVariables: readonly string[] = Object.freeze([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'TMPDIR',
]);

export interface ProcessFolders {
  readonly output: string;
  readonly artifacts: string;
}

/** The engine's own variables: nothing that a step sets stands before them. */
export function attemptVariables(attempt: Attempt, folders: ProcessFolders): Record<string, string> {
  return {
    WORKFLOW_RUN: attempt.run,
    WORKFLOW_STEP: attempt.step,
    WORKFLOW_INDEX: attempt.index < 0 ? '' : String(attempt.index),
    WORKFLOW_ATTEMPT: String(attempt.attempt),
    WORKFLOW_IDEMPOTENCY_KEY: attempt.idempotencyKey,
    WORKFLOW_OUTPUT: folders.output,
    WORKFLOW_ARTIFACTS: folders.artifacts,
  };
}

export const markPrefix = 'WORKFLOW_OUTPUT=';

/** The variable by which processes of an attempt are known, when nothing else is left of it. */
export function markOf(folders: ProcessFolders): string {
  return `${markPrefix}${folders.output}`;
}

export function inherited(
  environment: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = environment[name];
    if (value !== undefined) found[name] = value;
  }
  return found;
}
