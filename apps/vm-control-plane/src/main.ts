import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isUsersError, openLogger, printCommand, runApp, runCommand } from '@cosi-ts/app-kit';
import packageJson from '../package.json' with { type: 'json' };
import { startApp } from './app.js';
import { parseCommandLine } from './cli/command-line.js';
import { ApplyConflict } from './manifest/apply.js';
import { vmData } from './vm-data.js';

// Both are beside the built file; the page is missing only while the build is incomplete.
const page = fileURLToPath(new URL('./page', import.meta.url));
const dataFolder = fileURLToPath(new URL('../data', import.meta.url));

const task = parseCommandLine(process.argv.slice(2), {
  version: packageJson.version,
  dataFolder,
  page: existsSync(page) ? page : undefined,
});
if (task?.name === 'start') {
  const { options } = task;
  const logger = openLogger(options.log);
  await runApp(() => startApp(options, logger, process), logger, isUsers);
} else if (task !== undefined) {
  const logger = openLogger({ level: 'warn', format: 'auto' }, process.stderr);
  await printCommand(`vm-control-plane ${task.name}`, () => runCommand(vmData, task, logger));
}

function isUsers(error: unknown): error is Error {
  return isUsersError(error) || error instanceof ApplyConflict;
}
