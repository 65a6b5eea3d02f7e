import type { CommandContext } from '../commands/command-context.js';
import { EngineClient } from '../commands/engine-client.js';
import { CommandError } from '../commands/engine-error.js';
import type { ClientTask } from './command-line.js';

/** Does what was asked for, says what stands against it, and gives the exit code. Rejects with faults of the program. */
export async function runClient(
  { command, server, run }: ClientTask,
  context: Omit<CommandContext, 'client'>,
): Promise<number> {
  try {
    return await run({ ...context, client: new EngineClient(server) });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    context.terminal.note(`workflow ${command}: ${error.message}`);
    return error.exitCode;
  }
}
