import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Database } from '../database.js';
import { temporaryFolder } from './things.js';

/** Moves all that is in the log of a closed database to tables. */
export async function flushToTables(folder: string): Promise<void> {
  const database = await Database.open(folder);
  await database.close();
}

/**
 * Flips a bit of the text in a file with that extension. In tables the events lie before the resources: the first place
 * of a text is in an event, the last one in a resource.
 */
export async function flipAt(
  folder: string,
  extension: '.ldb' | '.log',
  text: string,
  place: 'first' | 'last' = 'last',
): Promise<string> {
  for (const name of (await readdir(folder)).filter((each) => each.endsWith(extension))) {
    const contents = await readFile(join(folder, name));
    const at = place === 'first' ? contents.indexOf(text) : contents.lastIndexOf(text);
    if (at === -1) continue;
    contents[at] = (contents[at] as number) ^ 1;
    await writeFile(join(folder, name), contents);
    return name;
  }
  throw new Error(`no ${extension} file holds ${JSON.stringify(text)}`);
}

/** Another folder with the same files. */
export async function copyOf(folder: string): Promise<string> {
  const copy = await temporaryFolder();
  await cp(folder, copy, { recursive: true });
  return copy;
}
