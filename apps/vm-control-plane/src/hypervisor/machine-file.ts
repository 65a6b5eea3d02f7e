import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ensureFolder, lockFile, replaceFile, undefinedIfMissing } from '@cosi-ts/app-kit';
import { CorruptError } from '@cosi-ts/resource';
import type { MachineStore, MachineStoreOpener } from './machine-store.js';
import { readStoredMachine, type StoredMachine } from './stored-machine.js';

const formatVersion = 1;

/**
 * Keeps machines in one JSON file. Every write makes a new file beside it, brings that to the disk and renames it, so
 * that a crash leaves the old content or the new one. While a write is under way, changes gather for the next.
 *
 * @param path the folder is made when it is missing
 */
export function machineFile(path: string): MachineStoreOpener {
  return (machines) => new MachineFile(path, machines);
}

class MachineFile implements MachineStore {
  readonly #path: string;
  readonly #machines: () => Iterable<StoredMachine>;
  #unlock: (() => Promise<void>) | undefined;
  #changes = 0;
  #kept = 0;
  #writing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(path: string, machines: () => Iterable<StoredMachine>) {
    this.#path = path;
    this.#machines = machines;
  }

  async load(): Promise<readonly StoredMachine[]> {
    await ensureFolder(dirname(this.#path));
    this.#unlock = await lockFile(`${this.#path}.lock`);
    try {
      return parseMachines(await readFile(this.#path, 'utf8').catch(undefinedIfMissing), this.#path);
    } catch (error) {
      await this.#unlock();
      throw error;
    }
  }

  changed(): void {
    this.#changes++;
    // Whoever needs to know that a write failed asks for a flush; until then the next change tries again.
    if (this.#writing === undefined) this.#startWriting().catch(() => undefined);
  }

  async flush(): Promise<void> {
    const wanted = this.#changes;
    while (this.#kept < wanted) await (this.#writing ?? this.#startWriting());
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#unlock === undefined) return;
    try {
      await this.flush();
    } finally {
      await this.#unlock();
    }
  }

  #startWriting(): Promise<void> {
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #write(): Promise<void> {
    // The changes of this turn of the event loop belong together.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#kept < this.#changes) {
      const upTo = this.#changes;
      await replaceFile(this.#path, printMachines(this.#machines()));
      this.#kept = upTo;
    }
  }
}

function printMachines(machines: Iterable<StoredMachine>): string {
  const lines = [...machines].map((machine) => `    ${JSON.stringify(machine)}`);
  return `{\n  "format": ${formatVersion},\n  "machines": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

function parseMachines(text: string | undefined, path: string): readonly StoredMachine[] {
  if (text === undefined) return [];
  try {
    const content: unknown = JSON.parse(text);
    const { format, machines } = (content ?? {}) as { format?: unknown; machines?: unknown };
    if (format !== formatVersion) throw new Error(`its format is ${JSON.stringify(format)}, known is ${formatVersion}`);
    if (!Array.isArray(machines)) throw new Error('it has no list of machines');
    const read = machines.map(readStoredMachine);
    const ids = new Set(read.map(({ id }) => id));
    if (ids.size !== read.length) throw new Error('it has two machines of one id');
    return read;
  } catch (cause) {
    throw new CorruptError(
      `the machine file ${path} cannot be read: ${(cause as Error).message}. It was left as it is: ` +
        'repair it, move it away to start without machines, or name another file with --hypervisor-file',
      { cause },
    );
  }
}
