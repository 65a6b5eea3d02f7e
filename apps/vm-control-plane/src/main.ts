import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isCosiError } from '@cosi-ts/resource';
import packageJson from '../package.json' with { type: 'json' };
import { startApp } from './app.js';
import { parseCommandLine } from './cli.js';
import { openLogger } from './logger.js';
import { ApplyConflict } from './manifest/apply.js';
import { endSoon, stopOnSignals } from './shutdown.js';
import { StartError } from './start-error.js';

// Both are beside the built file; the page is missing only while the build is incomplete.
const page = fileURLToPath(new URL('./page', import.meta.url));
const dataFolder = fileURLToPath(new URL('../data', import.meta.url));

const options = parseCommandLine(process.argv.slice(2), {
  version: packageJson.version,
  dataFolder,
  page: existsSync(page) ? page : undefined,
});
if (options !== undefined) await main(options);

async function main(given: NonNullable<typeof options>): Promise<void> {
  const logger = openLogger(given.log);
  let app: Awaited<ReturnType<typeof startApp>>;
  try {
    app = await startApp(given, logger, process);
  } catch (error) {
    const isUsers = error instanceof StartError || error instanceof ApplyConflict || isCosiError(error);
    if (isUsers) logger.error({}, `cannot start: ${(error as Error).message}`);
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
