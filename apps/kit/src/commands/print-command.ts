import { isUsersError } from '../run-app.js';
import type { Outcome } from './run-command.js';

/**
 * Runs a command as this process: prints what it has to say. Sets the exit code when all is not well.
 *
 * @param name the app's and the command's: `vm-control-plane verify`
 */
export async function printCommand(name: string, run: () => Promise<Outcome>): Promise<void> {
  try {
    const { lines, ok } = await run();
    for (const line of lines) console.log(line);
    if (!ok) process.exitCode = 1;
  } catch (error) {
    console.error(isUsersError(error) ? `${name}: ${error.message}` : error);
    process.exitCode = 1;
  }
}
