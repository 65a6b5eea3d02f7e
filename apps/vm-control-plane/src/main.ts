import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isCosiError } from '@cosi-ts/resource';
import packageJson from '../package.json' with { type: 'json' };
import { startApp } from './app.js';
import type { AppOptions } from './app-options.js';
import { parseCommandLine } from './cli/command-line.js';
import { type CommandTask, runCommand } from './commands/run-command.js';
import { openLogger } from './logger.js';
import { ApplyConflict } from './manifest/apply.js';
import { endSoon, stopOnSignals } from './shutdown.js';
import { StartError } from './start-error.js';

// Both are beside the built file; the page is missing only while the build is incomplete.
const page = fileURLToPath(new URL('./page', import.meta.url));
const dataFolder = fileURLToPath(new URL('../data', import.meta.url));

const task = parseCommandLine(process.argv.slice(2), {
  version: packageJson.version,
  dataFolder,
  page: existsSync(page) ? page : undefined,
});
if (task?.name === 'start') await run(task.options);
else if (task !== undefined) await command(task);

async function command(given: CommandTask): Promise<void> {
  try {
    const { lines, ok } = await runCommand(given, openLogger({ level: 'warn', format: 'auto' }, process.stderr));
    for (const line of lines) console.log(line);
    if (!ok) process.exitCode = 1;
  } catch (error) {
    console.error(isUsers(error) ? `vm-control-plane ${given.name}: ${error.message}` : error);
    process.exitCode = 1;
  }
}

async function run(given: AppOptions): Promise<void> {
  const logger = openLogger(given.log);
  let app: Awaited<ReturnType<typeof startApp>>;
  try {
    app = await startApp(given, logger, process);
  } catch (error) {
    if (isUsers(error)) logger.error({}, `cannot start: ${error.message}`);
    else logger.error({ err: error }, 'cannot start');
    process.exitCode = 1;
    return;
  }
  logger.info({ page: app.url, state: app.stateAddress }, 'ready');
  await stopOnSignals(async () => {
    try {
      await app.close();
      logger.info({}, 'stopped');
    } catch (error) {
      logger.error({ err: error }, 'stopped, but not everything could be kept');
      process.exitCode = 1;
    }
  }, logger);
  endSoon(logger);
}

/** Whether its message says all that a user needs. */
function isUsers(error: unknown): error is Error {
  return error instanceof StartError || error instanceof ApplyConflict || isCosiError(error);
}
