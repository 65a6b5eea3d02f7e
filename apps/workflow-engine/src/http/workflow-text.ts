import { Problem } from '@cosi-ts/app-kit';
import type { Definition } from '../definition/definition.js';
import type { DefinitionCache } from '../definition/definition-cache.js';
import { type Problem as DefinitionProblem, problemLine } from '../definition/problem.js';
import type { InputView } from './workflow-view.js';

/** A problem as clients get it. */
export type ProblemView = Pick<DefinitionProblem, 'line' | 'column' | 'path' | 'message'>;

/** What is to be said of a definition. */
export interface ValidationView {
  readonly ok: boolean;
  readonly name: string | null;
  readonly inputs: readonly InputView[];
  readonly problems: readonly ProblemView[];
}

export function problemView({ line, column, path, message }: DefinitionProblem): ProblemView {
  return { line, column, path, message };
}

/** The definition of a text that came with a request. Throws a {@link Problem} that has all that is wrong with it. */
export function definitionIn(source: string, definitions: DefinitionCache): Definition {
  const { definition, problems } = definitions.parse(source);
  if (definition !== undefined) return definition;
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
  const first = problems[0];
  const told = first === undefined ? '' : `: ${problemLine(first)}`;
  throw new Problem(400, 'invalid-definition', `the definition has ${count}${told}`, {
    hint: 'each of "problems" has the line, the column and what to write instead; nothing was changed',
    more: { problems: problems.map(problemView) },
  });
}
