import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { fileContents, syncFolder } from './files/folder-files.js';
import { parseJson } from './ledger.js';

/**
 * Replaces a file of the store's own with JSON and its checksum, as a whole, so that it survives the loss of power.
 *
 * @param isRight asked when all is written but not in its place; when it says no, everything stays as it was
 */
export async function writeCheckedFile(
  folder: string,
  name: string,
  value: object,
  isRight: () => Promise<boolean> = async () => true,
): Promise<void> {
  const text = JSON.stringify(value);
  const temporary = join(folder, `${name}.tmp`);
  const file = await open(temporary, 'w');
  try {
    await file.writeFile(`${text}\n${crc32(text)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  if (!(await isRight())) return rm(temporary, { force: true });
  await rename(temporary, join(folder, name));
  await syncFolder(folder);
}

/** What {@link writeCheckedFile} wrote; undefined when there is no such file. */
export async function readCheckedFile(
  folder: string,
  name: string,
): Promise<Record<string, unknown> | 'damaged' | undefined> {
  const contents = await fileContents(folder, name);
  if (contents === undefined) return undefined;
  const [json = '', checksum, end, ...more] = contents.toString().split('\n');
  if (String(crc32(json)) !== checksum || end !== '' || more.length > 0) return 'damaged';
  return parseJson(Buffer.from(json)) ?? 'damaged';
}
