import type { Clock } from '@cosi-ts/resource';
import type { Logger } from '@cosi-ts/runtime';
import type { AttemptPaths } from '../attempt-paths.js';
import type { Attempt, ExecutionContext } from '../executor.js';
import type { LogStream } from './log-line.js';
import { LogWriter } from './log-writer.js';
import { Mask } from './mask.js';

/** What code that executes a step writes to the log of its attempt. Secrets that it read are masked. */
export interface StepLogger {
  info(text: string): void;
  /** As `stderr`, like errors. */
  warn(text: string): void;
  error(text: string): void;
}

export interface AttemptLogOptions {
  readonly paths: AttemptPaths;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The log of an attempt that code of this process executes. It is made when something is written to it. */
export class AttemptLog {
  readonly #attempt: Attempt;
  readonly #context: ExecutionContext;
  readonly #options: AttemptLogOptions;
  #mask: Mask | undefined;
  #writer: LogWriter | undefined;

  constructor(attempt: Attempt, context: ExecutionContext, options: AttemptLogOptions) {
    this.#attempt = attempt;
    this.#context = context;
    this.#options = options;
  }

  readonly streams: StepLogger = {
    info: (text) => this.write('stdout', text),
    warn: (text) => this.write('stderr', text),
    error: (text) => this.write('stderr', text),
  };

  /** Reads a secret, which is masked from now on. */
  async secret(name: string, key: string): Promise<string> {
    const text = await this.#context.secret(name, key);
    this.#mask ??= new Mask();
    this.#mask.add(text);
    return text;
  }

  masked(text: string): string {
    return this.#mask?.apply(text) ?? text;
  }

  write(stream: LogStream, text: string): void {
    const { paths, clock, logger } = this.#options;
    if (this.#writer === undefined) {
      const path = paths.log(this.#attempt);
      const onError = (err: unknown) => logger.warn({ err, log: path }, 'the log of a step cannot be written');
      this.#writer = new LogWriter(path, { onError });
      this.#context.report({ log: paths.logName(this.#attempt) });
    }
    this.#writer.say(stream, this.masked(text), clock.now().toDate());
  }

  async close(): Promise<void> {
    await this.#writer?.close(this.#options.clock.now().toDate());
  }
}
