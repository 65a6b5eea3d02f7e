import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Outcome } from '../executor.js';
import { undefinedIfMissing } from '../missing-file.js';
import { removeTree } from '../remove-tree.js';
import { DamagedFolderError, withFile } from './damaged-folder.js';
import { type ProcessIdentity, parseIdentity } from './process-identity.js';

type Failure = Extract<Outcome, { state: 'failed' }>;

export interface KnownEnd {
  readonly outcome: Outcome;
  /** ISO 8601. */
  readonly endedAt: string;
}

/** A process that said that it leads the attempt. Its number is that in the name of the file. */
export interface KnownLeader {
  readonly pid: number;
  /** Undefined: what it wrote cannot be read. */
  readonly identity: ProcessIdentity | undefined;
}

const fenced = 'given up\n';

/**
 * The folder of one attempt at a process:
 *
 * - `script`: of a script, what the shell reads
 * - `package.json`: beside a script, so that Node as its shell reads it the same wherever the data folder is: in a
 *   package of modules there would be no `require`
 * - `work/`: where the process begins, when the step names no folder of its own; removed when the attempt succeeded
 * - `output`: where it writes its outputs
 * - `stdout`, `stderr`: what it has written, until it is in the log
 * - `process.<pid>`, `claim`, `exit`: see the shim. A claim with a text in it was made by an engine, and means that the
 *   attempt will never begin
 * - `stop`: why the engine asks the process to end; made before it does
 * - `outcome`: how the attempt ended, when everything that belongs to it is done
 *
 * All of this is a few small files, and calls that wait for them take a tenth of the time of those that do not. They
 * throw a {@link DamagedFolderError} where something else stands in the place of a file.
 */
export class AttemptFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  file(name: string): string {
    return join(this.path, name);
  }

  get isThere(): boolean {
    return withFile(this.path, () => statSync(this.path, { throwIfNoEntry: false })) !== undefined;
  }

  /** Makes it. Gives false when it is there: then somebody has begun the attempt. */
  make(): boolean {
    mkdirSync(join(this.path, '..'), { recursive: true, mode: 0o700 });
    try {
      mkdirSync(this.path, { mode: 0o700 });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }

  write(name: string, text: string): void {
    writeFileSync(this.file(name), text, { mode: 0o600 });
  }

  /** Opens what the process writes to: for it to append to, and for this process to read and to empty. */
  openRaw(): RawFiles {
    const stdout = this.#openRaw('stdout');
    try {
      return new RawFiles(stdout, this.#openRaw('stderr'));
    } catch (error) {
      closeSync(stdout);
      throw error;
    }
  }

  #openRaw(name: string): number {
    const path = this.file(name);
    this.#checkFile(name);
    return withFile(path, () => openSync(path, 'a+', 0o600));
  }

  /** Gives up an attempt that has not begun: it never will then. Gives false when it has begun. */
  giveUp(): boolean {
    const draft = this.file('claim.draft');
    withFile(draft, () => writeFileSync(draft, fenced, { mode: 0o600 }));
    try {
      linkSync(draft, this.file('claim'));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return this.#read('claim') === fenced;
    } finally {
      rmSync(draft, { force: true });
    }
  }

  /** Whether the shim has begun the command, or is about to. */
  get hasBegun(): boolean {
    return this.#read('claim') === '';
  }

  /** The shim, when it has said who it is: one, unless somebody has copied what it wrote. */
  leaders(): readonly KnownLeader[] {
    if (!this.isThere) return [];
    return withFile(this.path, () => readdirSync(this.path)).flatMap((name) => {
      const [, pidText] = /^process\.(\d{1,10})$/.exec(name) ?? [];
      const pid = Number(pidText);
      return pid > 1 ? [{ pid, identity: this.#identity(name, pid) }] : [];
    });
  }

  #identity(name: string, pid: number): ProcessIdentity | undefined {
    try {
      const identity = parseIdentity(this.#read(name) ?? '');
      return identity?.pid === pid ? identity : undefined;
    } catch (error) {
      if (error instanceof DamagedFolderError) return undefined;
      throw error;
    }
  }

  /** The exit code of the command, or 128 and the number of the signal that ended it. */
  exitCode(): number | undefined {
    const text = this.#read('exit') ?? '';
    return /^\d{1,3}\n$/.test(text) ? Number(text) : undefined;
  }

  exitedAt(): Date {
    return statSync(this.file('exit')).mtime;
  }

  writeStop(stop: Failure): void {
    this.#writeJson('stop', stop);
  }

  readStop(): Failure | undefined {
    return this.#readJson('stop');
  }

  writeOutcome(end: KnownEnd): void {
    this.#writeJson('outcome', end);
  }

  readOutcome(): KnownEnd | undefined {
    return this.#readJson('outcome');
  }

  /** Whether there is output that may not be in the log. */
  get hasRaw(): boolean {
    return existsSync(this.file('stdout'));
  }

  /** Removes what is in the log by now. */
  removeRaw(): void {
    rmSync(this.file('stdout'), { force: true });
    rmSync(this.file('stderr'), { force: true });
  }

  async removeWork(): Promise<void> {
    try {
      // Of most attempts it is empty. Disks take their time for this.
      await rmdir(this.file('work'));
    } catch {
      await removeTree(this.file('work'));
    }
  }

  /** All of it or nothing is there after a crash of the engine. */
  #writeJson(name: string, value: object): void {
    const draft = `${name}.draft`;
    this.write(draft, JSON.stringify(value));
    renameSync(this.file(draft), this.file(name));
  }

  #readJson<T>(name: string): T | undefined {
    const text = this.#read(name);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text) as T;
    } catch {
      // Power was lost before it was on the disk: it is as if it had not been written.
      return undefined;
    }
  }

  #read(name: string): string | undefined {
    const path = this.file(name);
    // Most are not there when they are asked for, and an error takes much longer to make.
    if (!this.#checkFile(name)) return undefined;
    try {
      return withFile(path, () => readFileSync(path, 'utf8'));
    } catch (error) {
      return undefinedIfMissing(error);
    }
  }

  /** Gives false when nothing is there. Whoever opened a pipe would wait for ever. */
  #checkFile(name: string): boolean {
    const path = this.file(name);
    const found = withFile(path, () => statSync(path, { throwIfNoEntry: false }));
    if (found !== undefined && !found.isFile()) throw new DamagedFolderError(`${path} is no file`);
    return found !== undefined;
  }
}

/** What a process writes to, as descriptors of this process. */
export class RawFiles {
  constructor(
    readonly stdout: number,
    readonly stderr: number,
  ) {}

  close(): void {
    closeSync(this.stdout);
    closeSync(this.stderr);
  }
}
