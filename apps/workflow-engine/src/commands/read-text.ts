import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { CommandError } from './engine-error.js';
import { exitCodes } from './exit-codes.js';

/** The text of a file; `-` is the standard input. Rejects with a {@link CommandError}. */
export async function readText(file: string, what: string): Promise<string> {
  if (file === '-') return text(process.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : message;
    throw new CommandError(`${what}: ${file}: ${why}`, exitCodes.usage, { cause: error });
  }
}
