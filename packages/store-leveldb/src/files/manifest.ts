import { ByteCursor } from './byte-cursor.js';

/** What a manifest says of the files of a database. */
export interface Manifest {
  /** Logs with lower numbers are not needed any more. */
  readonly logNumber: number;
  /** The tables in use, by number. */
  readonly tables: ReadonlyMap<number, TableEntry>;
}

export interface TableEntry {
  readonly bytes: number;
  /** The first key in it. */
  readonly smallest: Buffer;
  /** The last key in it. */
  readonly largest: Buffer;
}

const tags = {
  comparator: 1,
  logNumber: 2,
  nextFile: 3,
  lastSequence: 4,
  compactPointer: 5,
  deletedFile: 6,
  newFile: 7,
  previousLog: 9,
} as const;

/** The manifest in use, by the contents of the file that tells; undefined when they are damaged. */
export function currentManifest(contents: Buffer): string | undefined {
  return /^(MANIFEST-\d{6,})\n$/.exec(contents.toString('latin1'))?.[1];
}

/** The name of a log or table. */
export function numberedName(number: number, extension: 'ldb' | 'log'): string {
  return `${String(number).padStart(6, '0')}.${extension}`;
}

/** Reads the records of a manifest: changes to the set of files. Throws a `RangeError` for what is none. */
export function readManifest(records: readonly Buffer[]): Manifest {
  const tables = new Map<number, TableEntry>();
  let logNumber = 0;
  for (const record of records) {
    const cursor = new ByteCursor(record);
    const deleted: number[] = [];
    const added: [number, TableEntry][] = [];
    while (!cursor.done) {
      const tag = cursor.varint();
      if (tag === tags.comparator) cursor.string();
      else if (tag === tags.logNumber) logNumber = cursor.varint();
      else if (tag === tags.nextFile || tag === tags.lastSequence || tag === tags.previousLog) cursor.varint();
      else if (tag === tags.compactPointer) {
        cursor.varint();
        cursor.string();
      } else if (tag === tags.deletedFile) {
        cursor.varint();
        deleted.push(cursor.varint());
      } else if (tag === tags.newFile) {
        cursor.varint();
        const [number, bytes] = [cursor.varint(), cursor.varint()];
        added.push([number, { bytes, smallest: cursor.string(), largest: cursor.string() }]);
      } else throw new RangeError(`there is no change of kind ${tag}`);
    }
    // A table that moves to another level is deleted and added in one record.
    for (const number of deleted) tables.delete(number);
    for (const [number, table] of added) tables.set(number, table);
  }
  return { logNumber, tables };
}
