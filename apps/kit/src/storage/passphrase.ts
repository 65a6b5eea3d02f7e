import { readFile } from 'node:fs/promises';
import { StartError } from '../start-error.js';
import type { PassphraseSource } from './data-options.js';

/** Reads a passphrase. A line break at the end of a file is none of it. Undefined: there is none. */
export async function readPassphrase({ file, text }: PassphraseSource): Promise<string | undefined> {
  if (file === undefined) return text === '' ? undefined : text;
  const content = await readFile(file, 'utf8').catch((cause: Error) => {
    throw new StartError(`the passphrase file ${file} cannot be read: ${cause.message}`, { cause });
  });
  const passphrase = content.replace(/\r?\n$/, '');
  if (passphrase === '') throw new StartError(`the passphrase file ${file} is empty`);
  return passphrase;
}
