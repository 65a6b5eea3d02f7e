import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { fileURLToPath } from 'node:url';
import { openLogger, printCommand, runApp, runCommand } from '@cosi-ts/app-kit';
import packageJson from '../package.json' with { type: 'json' };
import { parseCommandLine } from './cli/command-line.js';
import { localAppOptions } from './cli/local-app-options.js';
import { withoutHolds } from './cli/local-logger.js';
import { runClient } from './cli/run-client.js';
import { exitCodes } from './commands/exit-codes.js';
import { processTerminal } from './commands/terminal.js';
import { howToGiveLocally } from './how-to-give.js';
import { loadPlugins, type Plugins } from './plugins.js';

// Both are beside the built file; the page is missing only while the build is incomplete.
const page = fileURLToPath(new URL('./page', import.meta.url));
const dataFolder = fileURLToPath(new URL('../data', import.meta.url));

const task = parseCommandLine(process.argv.slice(2), {
  version: packageJson.version,
  dataFolder,
  page: existsSync(page) ? page : undefined,
});
if (task?.name === 'serve') {
  const { options, plugins } = task;
  const logger = openLogger(options.log);
  // What only an engine needs is not waited for by who asks one.
  const { startApp } = await import('./app.js');
  const start = async () => startApp(options, logger, { hostProcess: process, ...(await loadPlugins(plugins)) });
  await runApp(start, logger);
} else if (task?.name === 'worker') {
  const { runWorker } = await import('./worker-app.js');
  const { options, plugins } = task;
  await runWorker(options, openLogger(options.log), () => loadPlugins(plugins));
} else if (task?.name === 'client') {
  // A reader that has seen enough, like `head`, is no fault.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.ok);
    process.stderr.write(`workflow: the output cannot be written: ${error.message}\n`);
    process.exit(exitCodes.failed);
  });
  process.exitCode = await runClient(task, { terminal: processTerminal(), startLocal, onInterrupt, user: userName() });
} else if (task !== undefined) {
  const { workflowData } = await import('./workflow-data.js');
  const logger = openLogger({ level: 'warn', format: 'auto' }, process.stderr);
  const { backUpFiles } = await import('./back-up-files.js');
  await printCommand(`workflow ${task.name}`, async () => {
    const outcome = await runCommand(workflowData, task, logger);
    if (task.name === 'backup' && task.withFiles === true) await backUpFiles(task.folder, task.into);
    return outcome;
  });
}

async function startLocal(plugins: Plugins) {
  const { startApp } = await import('./app.js');
  const logger = withoutHolds(openLogger({ level: 'warn', format: 'auto' }, process.stderr));
  const app = await startApp(localAppOptions(), logger, {
    hostProcess: process,
    howToGive: howToGiveLocally,
    ...plugins,
  });
  let isAsked = false;
  // Who presses Ctrl-C again does not wait, and nobody would find what still executes.
  const onSignal = () => {
    const isOnly = process.listenerCount('SIGINT') === 1;
    if (isAsked || isOnly) {
      app.engine.endNow();
      process.exit(exitCodes.interrupted);
    }
    isAsked = true;
  };
  process.prependListener('SIGINT', onSignal);
  const close = async () => {
    await app.close();
    process.off('SIGINT', onSignal);
  };
  return { ...app, close, [Symbol.asyncDispose]: close };
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
