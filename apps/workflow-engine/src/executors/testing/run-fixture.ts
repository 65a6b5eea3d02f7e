import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { AttemptPaths } from '../attempt-paths.js';
import type { Attempt } from '../executor.js';
import { parseLogLine } from '../logs/log-line.js';
import { undefinedIfMissing } from '../missing-file.js';
import type { RunOptions } from '../run/options.js';
import { RunExecutor } from '../run/run-executor.js';
import { temporaryFolder } from './temporary-folder.js';

/** An executor of processes over a folder that is gone after the test. */
export class RunFixture {
  readonly paths: AttemptPaths;
  executor: RunExecutor;

  private constructor(
    readonly folder: string,
    private readonly options: RunOptions,
  ) {
    this.paths = new AttemptPaths(join(folder, 'data'));
    this.executor = this.#make();
  }

  static async make(options: RunOptions = {}): Promise<RunFixture> {
    return new RunFixture(await temporaryFolder(), options);
  }

  /** What an engine has that begins after the one before was killed: nothing but the files. */
  async restart(): Promise<RunExecutor> {
    await this.executor.close();
    this.executor = this.#make();
    return this.executor;
  }

  #make(): RunExecutor {
    const executor = new RunExecutor(join(this.folder, 'data'), this.options);
    onTestFinished(() => executor.close());
    return executor;
  }

  /** The path of a file for what processes do. */
  file(name: string): string {
    return join(this.folder, name);
  }

  attemptFile(attempt: Attempt, name: string): string {
    return join(this.paths.attempt(attempt), name);
  }

  /** Lines of the log as `stream text`. */
  async log(attempt: Attempt): Promise<string[]> {
    const text = (await readFile(this.paths.log(attempt), 'utf8').catch(undefinedIfMissing)) ?? '';
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const parsed = parseLogLine(line);
        return `${parsed?.stream}${parsed?.goesOn === true ? '+' : ''} ${parsed?.text}`;
      });
  }
}
