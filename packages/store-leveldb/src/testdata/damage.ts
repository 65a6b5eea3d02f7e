import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { temporaryFolder } from './things.js';

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

/** Another folder with the same files. Of a store that is open: what a crash at this moment leaves. */
export async function copyOf(folder: string): Promise<string> {
  const copy = await temporaryFolder();
  // To open and close the lock would end it.
  await cp(folder, copy, { recursive: true, filter: (path) => basename(path) !== 'LOCK' });
  return copy;
}
