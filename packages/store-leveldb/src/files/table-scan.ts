import { compareTableKeys } from './block.js';
import { compareBytes } from './block-cursor.js';
import { fileContents } from './folder-files.js';
import { readLogFormat } from './log-format.js';
import { currentManifest, numberedName, readManifest, type TableEntry } from './manifest.js';
import type { NamedTable, TableRange } from './table-pieces.js';
import { TableRun } from './table-run.js';

/** Takes entries, one after the other. */
export interface EntrySink {
  /**
   * @param key begins with the key, and is something else after the call
   * @param source holds the value, and stays what it is
   */
  add(key: Uint8Array, keyLength: number, source: Uint8Array, start: number, end: number): void;
}

/**
 * Reads what lies in a range from the tables of a database that is open, without LevelDB: that takes a fraction of the
 * time, because no entry becomes an object before someone wants it. What was written since the opening and is in the log
 * alone is not seen.
 *
 * LevelDB can replace tables meanwhile. Then opening or filling fails as it does for damaged files: with a `RangeError`, or
 * an error of the file system.
 */
export class TableScan {
  readonly #runs: readonly TableRun[];
  /** Those that stand on their next entry. */
  readonly #ready: TableRun[] = [];
  /** Those whose next entry has to be read. */
  #starved: readonly TableRun[];
  #passed: Uint8Array | undefined;

  private constructor(runs: readonly TableRun[]) {
    this.#runs = this.#starved = runs;
  }

  static async open(folder: string, range: TableRange): Promise<TableScan> {
    const tables = await tablesOf(folder, range);
    return new TableScan(runsOf(tables).map((run) => new TableRun(folder, run, range)));
  }

  /** The last key up to which all entries have been given; undefined before the first one. */
  get passed(): Uint8Array | undefined {
    return this.#passed;
  }

  /** Reads what is needed to go on. False: there are no more entries. */
  async fill(): Promise<boolean> {
    const starved = this.#starved;
    this.#starved = [];
    for (const run of starved) {
      // A read can bring nothing but older entries of the key before.
      while (!run.advance() && !run.ended) await run.fill();
      if (!run.ended) this.#ready.push(run);
    }
    return this.#ready.length > 0;
  }

  /** Gives the entries up to where more has to be read, in the order of their keys. To be called after {@link fill}. */
  give(sink: EntrySink): void {
    while (this.#starved.length === 0 && this.#ready.length > 0) this.#giveRun(sink);
    const [last] = this.#starved;
    if (last !== undefined) this.#passed = last.cursor.key.slice(0, last.cursor.keyLength);
  }

  async close(): Promise<void> {
    await Promise.all(this.#runs.map((run) => run.close()));
  }

  /** Gives the entries of the run whose turn it is, up to the first one of another run. */
  #giveRun(sink: EntrySink): void {
    const run = this.#first(undefined) as TableRun;
    const { cursor } = run;
    let other = this.#first(run);
    // What other runs have under the same key is older.
    while (other !== undefined && sameKey(run, other)) {
      this.#advance(other);
      other = this.#first(run);
    }
    do {
      if (!cursor.isDeletion) sink.add(cursor.key, cursor.keyLength, cursor.source, cursor.valueStart, cursor.valueEnd);
      if (!this.#advance(run)) return;
    } while (this.#starved.length === 0 && (other === undefined || isBefore(run, other)));
  }

  #first(except: TableRun | undefined): TableRun | undefined {
    let first: TableRun | undefined;
    for (const run of this.#ready) {
      if (run !== except && (first === undefined || run.cursor.compare(first.cursor) < 0)) first = run;
    }
    return first;
  }

  #advance(run: TableRun): boolean {
    if (run.advance()) return true;
    this.#ready.splice(this.#ready.indexOf(run), 1);
    if (!run.ended) this.#starved = [...this.#starved, run];
    return false;
  }
}

function sameKey({ cursor: a }: TableRun, { cursor: b }: TableRun): boolean {
  return a.keyLength === b.keyLength && compareBytes(a.key, a.keyLength, b.key, b.keyLength) === 0;
}

function isBefore({ cursor: a }: TableRun, { cursor: b }: TableRun): boolean {
  return compareBytes(a.key, a.keyLength, b.key, b.keyLength) < 0;
}

/** A table, and which keys are in it. */
type LiveTable = NamedTable & Pick<TableEntry, 'smallest' | 'largest'>;

/** The tables that hold keys of the range, in the order of their first ones. */
async function tablesOf(folder: string, { start, end }: TableRange): Promise<LiveTable[]> {
  const manifest = await liveManifest(folder);
  return [...manifest.tables]
    .map(([number, entry]) => ({ ...entry, name: numberedName(number, 'ldb') }))
    .filter(({ smallest, largest }) => {
      const [first, last] = [smallest, largest].map((key) => key.subarray(0, -8)) as [Buffer, Buffer];
      return Buffer.compare(first, end) < 0 && Buffer.compare(last, start) >= 0;
    })
    .sort((a, b) => compareTableKeys(a.smallest, b.smallest));
}

async function liveManifest(folder: string): Promise<ReturnType<typeof readManifest>> {
  const current = await fileContents(folder, 'CURRENT');
  const name = current === undefined ? undefined : currentManifest(current);
  const contents = name === undefined ? undefined : await fileContents(folder, name);
  // A change that LevelDB is just writing down has not happened yet.
  const { records, fault } = readLogFormat(contents ?? Buffer.alloc(0));
  if (contents === undefined || fault !== undefined) throw new RangeError('it cannot be told which tables are in use');
  return readManifest(records);
}

/** Puts tables one after the other whose keys are: the fewer runs, the less there is to compare. */
function runsOf(tables: readonly LiveTable[]): LiveTable[][] {
  const runs: LiveTable[][] = [];
  for (const table of tables) {
    const run = runs.find((each) => compareTableKeys((each.at(-1) as LiveTable).largest, table.smallest) < 0);
    if (run === undefined) runs.push([table]);
    else run.push(table);
  }
  return runs;
}
