import type { ClientCommand } from './command-context.js';
import { part } from './engine-client.js';
import { exitCodes } from './exit-codes.js';
import { readText } from './read-text.js';
import { checkThere } from './run-target.js';

/** Adds workflows to those of the engine, or changes them. All files are read and found in order before one is sent. */
export function applyCommand(files: readonly string[], { dryRun }: { readonly dryRun?: boolean }): ClientCommand {
  return async ({ client, terminal }) => {
    const sources = await Promise.all(files.map((file) => readText(file, 'the workflow')));
    for (const [i, source] of sources.entries()) await checkThere(source, files[i] ?? '', client);
    for (const source of sources) {
      const query = dryRun === true ? '?dryRun=true' : '';
      const { name, result } = await client.sendYaml<{ name: string; result: string }>(
        'POST',
        `/workflows${query}`,
        source,
      );
      terminal.print(
        `workflow ${name} ${result === 'unchanged' ? 'is as it was' : `${dryRun === true ? 'would be' : 'is'} ${result}`}`,
      );
    }
    return exitCodes.ok;
  };
}

export type Deletable = 'workflow' | 'schedule' | 'secret';

export function deleteCommand(kind: Deletable, names: readonly string[]): ClientCommand {
  return async ({ client, terminal }) => {
    for (const name of names) {
      await client.send('DELETE', `/${kind}s/${part(name)}`);
      terminal.note(`${kind} ${name} is deleted`);
    }
    return exitCodes.ok;
  };
}
