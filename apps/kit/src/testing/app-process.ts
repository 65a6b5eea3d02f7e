import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** How long a start may take. */
const patienceMs = 20_000;

interface LogRecord {
  readonly level: number;
  readonly msg: string;
  readonly [fact: string]: unknown;
}

/** An app as a process of its own. */
export class AppProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** What it has logged. */
  readonly log: LogRecord[] = [];
  /** What else it has written. */
  readonly output: string[] = [];
  #hasEnded = false;
  #onChange: () => void = () => undefined;

  private constructor(entry: string, args: readonly string[], environment: Readonly<Record<string, string>>) {
    this.#child = spawn(process.execPath, [entry, ...args], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#ended = new Promise((resolve, reject) => {
      this.#child.on('error', reject);
      this.#child.on('close', (code, signal) => {
        this.#hasEnded = true;
        resolve({ code, signal });
        this.#onChange();
      });
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      createInterface({ input: stream as NodeJS.ReadableStream }).on('line', (line) => this.#take(line));
    }
  }

  /** Runs a command of the app to its end. */
  static async run(entry: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    await using child = new AppProcess(entry, args, environment);
    const { code } = await child.#ended;
    return { code, output: child.output, log: child.log };
  }

  /** Starts the app, and resolves when it is ready. */
  static async start(entry: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const child = new AppProcess(entry, [...args, '--log-format', 'json'], environment);
    try {
      await child.logs('ready');
      return child;
    } catch (error) {
      await child[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Where HTTP is served. */
  get url(): string {
    return this.#ready.page as string;
  }

  /** Where the State service is. */
  get stateAddress(): string {
    return this.#ready.state as string;
  }

  /** Resolves with the record of that message as soon as there is one. */
  async logs(message: string): Promise<LogRecord> {
    const giveUp = AbortSignal.timeout(patienceMs);
    giveUp.addEventListener('abort', () => this.#onChange(), { once: true });
    for (;;) {
      const found = this.log.find(({ msg }) => msg === message);
      if (found !== undefined) return found;
      if (giveUp.aborted || this.#hasEnded) {
        const said = JSON.stringify([...this.log, ...this.output]);
        throw new Error(`the app did not log ${JSON.stringify(message)}, but: ${said}`);
      }
      await new Promise<void>((resolve) => {
        this.#onChange = resolve;
      });
    }
  }

  /** Resolves when it has ended. */
  async signal(
    signal: NodeJS.Signals,
  ): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }> {
    this.#child.kill(signal);
    return this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#hasEnded) this.#child.kill('SIGKILL');
    await this.#ended;
  }

  get #ready(): LogRecord {
    return this.log.find(({ msg }) => msg === 'ready') as LogRecord;
  }

  #take(line: string): void {
    if (line.startsWith('{')) this.log.push(JSON.parse(line) as LogRecord);
    else this.output.push(line);
    this.#onChange();
  }
}
