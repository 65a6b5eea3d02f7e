import { fileChunks } from './file-chunks.js';
import type { FileFault } from './file-fault.js';
import { filesInTurn } from './file-reader.js';
import { Fingerprint, fingerprint, hasFingerprints } from './fingerprint.js';
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
  const tables = [...manifest.tables].map(([number, entry]) => {
    const file = all.find((each) => each.kind === 'table' && each.number === number);
    return { name: file?.name ?? numberedName(number, 'ldb'), bytes: entry.bytes, entry };
  });
  const recognized = await recognizedTables(folder, tables, known);
  for (const name of recognized) fingerprints.set(name, known.get(name) as string);
  const names = [...recognized];
  const others = tables.filter(({ name }) => !recognized.has(name));
  for await (const { item, contents } of filesInTurn(folder, others)) {
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
    const wrong = checkTable(contents, entry);
    const found = wrong.length === 0 ? fingerprint(contents) : undefined;
    if (found !== undefined) fingerprints.set(name, found);
    for (const { what, broken } of wrong) faults.push({ file: name, what, effect: broken ? 'fails' : 'reads' });
  }
  return names;
}

/** The names of the tables that are what they are known as. */
async function recognizedTables(
  folder: string,
  tables: readonly { readonly name: string; readonly bytes: number }[],
  known: Fingerprints,
): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  if (!hasFingerprints) return names;
  let reading: object | undefined;
  let found = new Fingerprint();
  const candidates = tables.filter(({ name }) => known.has(name));
  for await (const { item, bytes, isLast } of fileChunks(folder, candidates)) {
    if (item !== reading) found = new Fingerprint();
    reading = item;
    found.add(bytes);
    if (isLast && found.end() === known.get(item.name)) names.add(item.name);
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
