import type { ClientCommand } from './command-context.js';
import { type EngineClient, part } from './engine-client.js';
import { CommandError } from './engine-error.js';
import { exitCodes } from './exit-codes.js';
import { readText } from './read-text.js';

/**
 * Keeps texts in a secret, beside those that are there: `KEY=TEXT`, `KEY=@FILE`, or `KEY` for the standard input, which
 * keeps the text out of the list of processes and the history of the shell.
 */
export function setSecretCommand(name: string, parts: readonly string[]): ClientCommand {
  return async ({ client, terminal }) => {
    const keys = await keepSecret(name, parts, client);
    terminal.note(`secret ${name} has ${keys.join(', ')}`);
    return exitCodes.ok;
  };
}

/** Keeps texts in a secret, and gives the keys that it has then. */
export async function keepSecret(
  name: string,
  parts: readonly string[],
  client: EngineClient,
): Promise<readonly string[]> {
  const fromInput = parts.filter((text) => !text.includes('='));
  if (fromInput.length > 1) throw new CommandError('only one text can come from the standard input', exitCodes.usage);
  const values: Record<string, string> = {};
  for (const text of parts) {
    const equals = text.indexOf('=');
    if (equals === 0) throw new CommandError(`${text}: a key is missing before the =`, exitCodes.usage);
    if (equals < 0) values[text] = withoutLineEnd(await readText('-', 'the secret'));
    else values[text.slice(0, equals)] = await secretText(text.slice(equals + 1));
  }
  return (await client.send<{ keys: string[] }>('PATCH', `/secrets/${part(name)}`, { values })).keys;
}

/** Takes keys away from a secret. */
export function unsetSecretCommand(name: string, keys: readonly string[]): ClientCommand {
  return async ({ client, terminal }) => {
    const present = await client.get<{ keys: string[] }>(`/secrets/${part(name)}`);
    const missing = keys.filter((key) => !present.keys.includes(key));
    if (missing.length > 0) {
      throw new CommandError(
        `secret ${name} has no ${missing.join(', ')}: it has ${present.keys.join(', ') || 'nothing'}`,
      );
    }
    const values = Object.fromEntries(keys.map((key) => [key, null]));
    const { keys: left } = await client.send<{ keys: string[] }>('PATCH', `/secrets/${part(name)}`, { values });
    terminal.note(`secret ${name} has ${left.length === 0 ? 'no keys any more' : left.join(', ')}`);
    return exitCodes.ok;
  };
}

async function secretText(text: string): Promise<string> {
  return text.startsWith('@') ? withoutLineEnd(await readText(text.slice(1), 'the secret')) : text;
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}
