// Programs that some tests need and a newcomer need not have. A test that needs one says so in its file's name:
// `page.browser.test.ts` runs where there is a browser, whose path it finds in the environment variable COSI_BROWSER, and
// is left out, with a line saying so, where there is none.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** @typedef {{ name: string, commands: readonly string[], debian: string }} OptionalTool */

/** @type {readonly OptionalTool[]} */
const optionalTools = [
  { name: 'browser', commands: ['chromium', 'chromium-browser', 'google-chrome'], debian: 'chromium' },
  { name: 'go', commands: ['go'], debian: 'golang-go' },
];

/** The full path of the first of these commands that is on the PATH. @param {readonly string[]} commands */
function findCommand(commands) {
  for (const command of commands) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      const path = join(folder, command);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // Not in this folder: the next one may have it.
      }
    }
  }
  return undefined;
}

export const missingTools = () => optionalTools.filter(({ commands }) => findCommand(commands) === undefined);

/** Globs of the test files that cannot run here. */
export const unrunnableTests = () => missingTools().map(({ name }) => `**/*.${name}.test.ts`);

/** What tests are told of the programs that are there. @returns {Record<string, string>} */
export const toolVariables = () =>
  Object.fromEntries(
    optionalTools.flatMap(({ name, commands }) => {
      const path = findCommand(commands);
      return path === undefined ? [] : [[`COSI_${name.toUpperCase()}`, path]];
    }),
  );
