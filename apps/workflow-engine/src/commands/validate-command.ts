import { parseDefinition } from '../definition/parse-definition.js';
import { noExecutor } from '../definition/step-syntax.js';
import type { ClientCommand } from './command-context.js';
import { exitCodes } from './exit-codes.js';
import { readText } from './read-text.js';
import { problemLines } from './run-target.js';

export interface ValidateFlags {
  /** Names of executors that are plugged in, which files may use. */
  readonly executor?: readonly string[];
}

/** Checks files, without an engine. */
export function validateCommand(files: readonly string[], { executor = [] }: ValidateFlags): ClientCommand {
  return async ({ terminal }) => {
    let wrong = 0;
    const sources: (readonly [file: string, source: string])[] = [];
    for (const file of files) sources.push([file, await readText(file, 'the workflow')]);
    // Files that are checked together know each other.
    const workflows = new Map(
      sources.flatMap(([, source]) => {
        const { definition } = parseDefinition(source, { executors: executor });
        return definition === undefined ? [] : [[definition.name, definition.inputs] as const];
      }),
    );
    for (const [file, source] of sources) {
      const { definition, problems } = parseDefinition(source, { executors: executor, workflows });
      if (definition === undefined) {
        wrong++;
        for (const line of problemLines(source, problems, file)) terminal.print(line);
        if (problems.some(({ message }) => message.includes(noExecutor))) {
          terminal.note('  what is plugged into an engine is named with --executor NAME');
        }
      } else {
        const count = definition.steps.size + definition.finally.size;
        terminal.print(`${file}: ok, ${definition.name} with ${count} ${count === 1 ? 'step' : 'steps'}`);
      }
    }
    if (wrong > 0) terminal.note(`${wrong} of ${files.length} ${files.length === 1 ? 'file is' : 'files are'} wrong`);
    return wrong === 0 ? exitCodes.ok : exitCodes.failed;
  };
}
