import { isCosiError } from '@cosi-ts/resource';
import type { Logger } from '@cosi-ts/runtime';
import { endSoon, stopOnSignals } from './shutdown.js';
import { StartError } from './start-error.js';

/** An app while it runs. */
export interface RunningApp extends AsyncDisposable {
  /** Where HTTP is served. */
  readonly url: string;
  /** Where the State service is: `host:port`. */
  readonly stateAddress: string;
  /** Ends everything. Can be called any number of times. */
  close(): Promise<void>;
}

/** Whether its message says all that a user needs: no stack is shown then. */
export type IsUsers = (error: unknown) => error is Error;

/** Errors of the start and of resources are; what else is thrown is a fault of the program. */
export function isUsersError(error: unknown): error is Error {
  return error instanceof StartError || isCosiError(error);
}

/** Runs an app as this process, until a signal asks it to end. Sets the exit code when something went wrong. */
export async function runApp(
  start: () => Promise<RunningApp>,
  logger: Logger,
  isUsers: IsUsers = isUsersError,
): Promise<void> {
  let app: RunningApp;
  try {
    app = await start();
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
