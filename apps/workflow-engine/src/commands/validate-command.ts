import { parseDefinition } from '../definition/parse-definition.js';
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
    for (const file of files) {
      const source = await readText(file, 'the workflow');
      const { definition, problems } = parseDefinition(source, { executors: executor });
      if (definition === undefined) {
        wrong++;
        for (const line of problemLines(source, problems, file)) terminal.print(line);
      } else {
        terminal.print(`${file}: ok, ${definition.name} with ${definition.steps.size + definition.finally.size} steps`);
      }
    }
    if (wrong > 0) terminal.note(`${wrong} of ${files.length} ${files.length === 1 ? 'file is' : 'files are'} wrong`);
    return wrong === 0 ? exitCodes.ok : exitCodes.failed;
  };
}
