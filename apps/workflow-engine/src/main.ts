import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { fileURLToPath } from 'node:url';
import { openLogger, printCommand, runApp, runCommand } from '@cosi-ts/app-kit';
import packageJson from '../package.json' with { type: 'json' };
import { startApp } from './app.js';
import { type ClientTask, parseCommandLine } from './cli/command-line.js';
import { localAppOptions } from './cli/local-app-options.js';
import { EngineClient } from './commands/engine-client.js';
import { CommandError } from './commands/engine-error.js';
import { exitCodes } from './commands/exit-codes.js';
import { processTerminal } from './commands/terminal.js';
import { workflowData } from './workflow-data.js';

// Both are beside the built file; the page is missing only while the build is incomplete.
const page = fileURLToPath(new URL('./page', import.meta.url));
const dataFolder = fileURLToPath(new URL('../data', import.meta.url));

const task = parseCommandLine(process.argv.slice(2), {
  version: packageJson.version,
  dataFolder,
  page: existsSync(page) ? page : undefined,
});
if (task?.name === 'serve') {
  const { options } = task;
  const logger = openLogger(options.log);
  await runApp(() => startApp(options, logger, { hostProcess: process }), logger);
} else if (task?.name === 'client') {
  await runClient(task);
} else if (task !== undefined) {
  const logger = openLogger({ level: 'warn', format: 'auto' }, process.stderr);
  await printCommand(`workflow ${task.name}`, () => runCommand(workflowData, task, logger));
}

async function runClient({ command, server, run }: ClientTask): Promise<void> {
  // A reader that has seen enough, like `head`, is no fault.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(exitCodes.ok);
  });
  try {
    process.exitCode = await run({
      client: new EngineClient(server),
      terminal: processTerminal(),
      startLocal: () =>
        startApp(localAppOptions(), openLogger({ level: 'warn', format: 'auto' }, process.stderr), {
          hostProcess: process,
        }),
      onInterrupt,
      user: userName(),
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(`workflow ${command}: ${error.message}`);
    process.exitCode = error.exitCode;
  }
}

/** The second Ctrl-C ends the process, whatever it is at. */
function onInterrupt(act: () => void): Disposable {
  process.once('SIGINT', act);
  return { [Symbol.dispose]: () => process.off('SIGINT', act) };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user id without a name, as in containers.
    return '';
  }
}
