import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { startChild } from './child-processes.js';

/** A process that is told things in lines, and answers in lines. */
export class LineProcess implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #closed: Promise<unknown>;

  constructor(program: string, args: readonly string[]) {
    this.#child = startChild(program, args, { stdio: 'pipe' }) as ChildProcessWithoutNullStreams;
    this.#child.stderr.pipe(process.stderr);
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
    this.#closed = once(this.#child, 'close');
  }

  /** Node on one of the programs beside this one. */
  static node(url: URL, ...args: readonly string[]): LineProcess {
    return new LineProcess(process.execPath, ['--expose-gc', url.pathname, ...args]);
  }

  /** Rejects when the process has ended. */
  async line(): Promise<string> {
    const { done, value } = await this.#lines.next();
    if (done === true) throw new Error(`${this.#child.spawnargs.join(' ')} has ended`);
    return value;
  }

  tell(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  ask(line: string): Promise<string> {
    this.tell(line);
    return this.line();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill();
    await this.#closed;
  }
}
