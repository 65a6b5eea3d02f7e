import { readFileSync } from 'node:fs';
import { link, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Outcome } from '../executor.js';
import { undefinedIfMissing } from '../missing-file.js';
import { type ProcessIdentity, parseIdentity } from './process-identity.js';

type Failure = Extract<Outcome, { state: 'failed' }>;

const fenced = 'given up\n';

/**
 * The folder of one attempt at a process:
 *
 * - `script`: of a script, what the shell reads
 * - `work/`: where the process begins, when the step names no folder of its own; removed when the attempt succeeded
 * - `output`: where it writes its outputs
 * - `stdout`, `stderr`: what it has written, until it is in the log
 * - `process.<pid>`, `claim`, `exit`: see the shim. A claim with a text in it was made by an engine, and means that the
 *   attempt will never begin
 * - `stop`: why the engine asks the process to end; made before it does
 * - `outcome`: how the attempt ended, when everything that belongs to it is done
 */
export class AttemptFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /** Makes it. Gives false when it is there: then somebody has begun the attempt. */
  async make(): Promise<boolean> {
    await mkdir(join(this.path, '..'), { recursive: true, mode: 0o700 });
    try {
      await mkdir(this.path, { mode: 0o700 });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }

  /** Gives up an attempt that has not begun: it never will then. Gives false when it has begun. */
  async giveUp(): Promise<boolean> {
    const draft = this.file('claim.draft');
    await writeFile(draft, fenced, { mode: 0o600 });
    try {
      await link(draft, this.file('claim'));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return (await readFile(this.file('claim'), 'utf8')) === fenced;
    } finally {
      await rm(draft, { force: true });
    }
  }

  /** Whether the shim has begun the command, or is about to. */
  async hasBegun(): Promise<boolean> {
    return (await readFile(this.file('claim'), 'utf8').catch(undefinedIfMissing)) === '';
  }

  /** The shim, when it has said who it is. */
  async leader(): Promise<ProcessIdentity | undefined> {
    const name = (await readdir(this.path)).find((file) => file.startsWith('process.'));
    return name === undefined ? undefined : parseIdentity(await readFile(this.file(name), 'latin1'));
  }

  /** The exit code of the command, or 128 and the number of the signal that ended it. */
  exitCode(): number | undefined {
    let text: string;
    try {
      text = readFileSync(this.file('exit'), 'latin1');
    } catch (error) {
      return undefinedIfMissing(error);
    }
    return /^\d{1,3}\n$/.test(text) ? Number(text) : undefined;
  }

  async exitedAt(): Promise<Date> {
    return (await stat(this.file('exit'))).mtime;
  }

  async writeStop(stop: Failure): Promise<void> {
    await this.#writeJson('stop', stop);
  }

  readStop(): Promise<Failure | undefined> {
    return this.#readJson('stop');
  }

  async writeOutcome(end: { readonly outcome: Outcome; readonly endedAt: string }): Promise<void> {
    await this.#writeJson('outcome', end);
  }

  readOutcome(): Promise<{ readonly outcome: Outcome; readonly endedAt: string } | undefined> {
    return this.#readJson('outcome');
  }

  async remove(name: string): Promise<void> {
    await rm(this.file(name), { recursive: true, force: true });
  }

  /** All of it or nothing is there after a crash of the engine. */
  async #writeJson(name: string, value: object): Promise<void> {
    const draft = this.file(`${name}.draft`);
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(JSON.stringify(value));
    } finally {
      await file.close();
    }
    await rename(draft, this.file(name));
  }

  async #readJson<T>(name: string): Promise<T | undefined> {
    const text = await readFile(this.file(name), 'utf8').catch(undefinedIfMissing);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text) as T;
    } catch {
      // Power was lost before it was on the disk: it is as if it had not been written.
      return undefined;
    }
  }
}
