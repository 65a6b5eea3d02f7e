import type { FileFault } from './file-fault.js';
import { filesInTurn } from './file-reader.js';
import { fingerprint } from './fingerprint.js';
import { type FolderFile, folderFiles } from './folder-files.js';
import { type Manifest, numberedName } from './manifest.js';
import { checkTable } from './table.js';

/** What tables were when they were in order, by their names. */
export type Fingerprints = ReadonlyMap<string, string>;

/**
 * Checks the tables that a manifest names. Gives the names of those that there are.
 *
 * @param known tables that have one of these fingerprints need no other check
 * @param fingerprints where those of the tables that are in order go
 */
export async function checkTables(
  folder: string,
  all: readonly FolderFile[],
  manifest: Manifest,
  known: Fingerprints,
  fingerprints: Map<string, string>,
  faults: FileFault[],
): Promise<string[]> {
  const names: string[] = [];
  const tables = [...manifest.tables].map(([number, entry]) => {
    const file = all.find((each) => each.kind === 'table' && each.number === number);
    return { name: file?.name ?? numberedName(number, 'ldb'), entry };
  });
  for await (const { item, contents } of filesInTurn(folder, tables)) {
    const { name, entry } = item;
    if (contents === undefined) {
      faults.push({ file: name, what: 'it is missing', effect: 'fails' });
      continue;
    }
    names.push(name);
    if (contents.length !== entry.bytes) {
      faults.push({ file: name, what: `it has ${contents.length} bytes instead of ${entry.bytes}`, effect: 'fails' });
      continue;
    }
    const found = fingerprint(contents);
    const isKnown = found !== undefined && known.get(name) === found;
    const wrong = isKnown ? [] : checkTable(contents, entry);
    if (found !== undefined && wrong.length === 0) fingerprints.set(name, found);
    for (const { what, broken } of wrong) faults.push({ file: name, what, effect: broken ? 'fails' : 'reads' });
  }
  return names;
}

/**
 * The fingerprints of the tables in a folder that are in order.
 *
 * @param known those of tables that have not changed since
 * @param maxBytes so much of others is looked at, or one more
 */
export async function fingerprintTables(folder: string, known: Fingerprints, maxBytes: number): Promise<Fingerprints> {
  const tables = (await folderFiles(folder)).filter(({ kind }) => kind === 'table');
  const fingerprints = new Map([...known].filter(([name]) => tables.some((table) => table.name === name)));
  let bytes = 0;
  const unknown = tables.filter(({ name }) => !known.has(name));
  for await (const { item, contents } of filesInTurn(folder, unknown)) {
    if (contents === undefined) continue;
    const found = fingerprint(contents);
    if (found === undefined) break;
    // Why one is not in order is told by the next opening.
    if (checkTable(contents).length === 0) fingerprints.set(item.name, found);
    bytes += contents.length;
    if (bytes >= maxBytes) break;
  }
  return fingerprints;
}
