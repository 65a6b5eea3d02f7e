import { StartError } from '@cosi-ts/app-kit';
import { loadPlugins, type Plugins } from '../plugins.js';
import type { CommandContext } from './command-context.js';
import { EngineClient } from './engine-client.js';
import { CommandError } from './engine-error.js';
import { exitCodes } from './exit-codes.js';
import { readText } from './read-text.js';
import { checkHere, checkThere, type RunTarget } from './run-target.js';
import { keepSecret } from './secret-command.js';

/** What an engine for one run is given, since it has nothing of its own. */
export interface LocalFlags {
  /** Files with workflows that the run may run. */
  readonly apply?: readonly string[];
  /** Modules with functions and executors. */
  readonly plugin?: readonly string[];
  /** `name/key=text`, `name/key=@file`, or `name/key` for the standard input. */
  readonly secret?: readonly string[];
}

/** Starts an engine in this process for as long as something is done with it. */
export async function withLocalEngine<T>(
  target: RunTarget,
  flags: LocalFlags,
  context: CommandContext,
  act: (context: CommandContext) => Promise<T>,
): Promise<T> {
  const plugins = await pluginsOf(flags);
  const executors = plugins.executors.map(({ name }) => name);
  if (target.kind === 'source') checkHere(target.source, target.file, 'local', executors);
  const secrets = (flags.secret ?? []).map(secretOf);
  const others: (readonly [file: string, source: string])[] = [];
  for (const file of flags.apply ?? []) others.push([file, await readText(file, 'the workflow')]);
  const app = await context.startLocal(plugins);
  try {
    const client = new EngineClient(app.url);
    for (const [file, source] of others) {
      await checkThere(source, file, client, 'local');
      await client.sendYaml('POST', '/workflows', source);
    }
    for (const [name, part] of secrets) await keepSecret(name, [part], client);
    return await act({ ...context, client });
  } finally {
    await app.close();
  }
}

async function pluginsOf({ plugin = [] }: LocalFlags): Promise<Plugins> {
  try {
    return await loadPlugins(plugin);
  } catch (error) {
    if (error instanceof StartError) throw new CommandError(error.message, exitCodes.usage, { cause: error });
    throw error;
  }
}

function secretOf(text: string): readonly [name: string, part: string] {
  const [, name, part] = /^([^/=]+)\/([^=]+(?:=.*)?)$/s.exec(text) ?? [];
  if (name !== undefined && part !== undefined) return [name, part];
  // What is wrong may be the secret itself.
  throw new CommandError(
    '--secret must be like github/token=TEXT, github/token=@FILE or github/token',
    exitCodes.usage,
  );
}
