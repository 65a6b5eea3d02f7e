import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Attempt } from './executor.js';
import { removeTree } from './remove-tree.js';

type AttemptName = Pick<Attempt, 'run' | 'step' | 'index' | 'attempt'>;

/**
 * Where executors keep files, below one folder of data:
 *
 * - `attempts/<run>/<step>[.<index>]/<attempt>/`: what a process was started with, and what is known of it
 * - `logs/<run>/<step>[.<index>]/<attempt>.log`
 * - `artifacts/<run>/<step>[/<index>]/…`
 *
 * Any text is a good name of a run or a step: see {@link runFolderName}.
 */
export class AttemptPaths {
  readonly #data: string;

  /** @param data an absolute path */
  constructor(data: string) {
    this.#data = data;
  }

  attempt(of: AttemptName): string {
    return join(this.#data, 'attempts', runFolderName(of.run), executionName(of), String(of.attempt));
  }

  /** The folder that the names of logs are relative to. */
  get logs(): string {
    return join(this.#data, 'logs');
  }

  /** Relative to the folder of logs. */
  logName(of: AttemptName): string {
    return `${runFolderName(of.run)}/${executionName(of)}/${of.attempt}.log`;
  }

  log(of: AttemptName): string {
    return join(this.logs, this.logName(of));
  }

  artifactsOfRun(run: string): string {
    return join(this.#data, 'artifacts', runFolderName(run));
  }

  artifacts(of: AttemptName): string {
    const step = join(this.artifactsOfRun(of.run), stepFolderName(of.step));
    return of.index < 0 ? step : join(step, String(of.index));
  }

  /** Removes everything of a run. */
  async forget(run: string): Promise<void> {
    const name = runFolderName(run);
    for (const kind of ['attempts', 'logs', 'artifacts']) {
      await removeTree(join(this.#data, kind, name));
    }
  }
}

function executionName({ step, index }: AttemptName): string {
  return index < 0 ? stepFolderName(step) : `${stepFolderName(step)}.${index}`;
}

/**
 * Its own name where that is one on every file system, also on those that take `A` and `a` for the same. Others get one
 * that is like it, with a part of its hash.
 */
export function runFolderName(run: string): string {
  return folderName(run, /^[a-z0-9][a-z0-9._-]{0,99}$/);
}

/** Without dots, which end the step's name where an index follows. */
function stepFolderName(step: string): string {
  return folderName(step, /^[A-Za-z0-9_][A-Za-z0-9_-]{0,99}$/);
}

function folderName(name: string, plain: RegExp): string {
  if (plain.test(name)) return name;
  const like = name
    .slice(0, 60)
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, '_');
  // Half of a surrogate pair is no text for the hash: every one of them would count as the same.
  const hash = createHash('sha256').update(JSON.stringify(name)).digest('hex').slice(0, 16);
  return `${like}~${hash}`;
}
