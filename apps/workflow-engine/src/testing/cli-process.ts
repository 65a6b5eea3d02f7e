import { type ChildProcess, spawn } from 'node:child_process';

export interface CliOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The `workflow` command as a process. */
export class CliProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<CliOutcome>;
  stdout = '';
  stderr = '';
  #onOutput: () => void = () => undefined;

  constructor(entry: string, args: readonly string[], options: CliOptions = {}) {
    this.child = spawn(process.execPath, [entry, ...args], {
      env: { ...process.env, NO_COLOR: '1', ...options.environment },
      ...(options.workingFolder === undefined ? {} : { cwd: options.workingFolder }),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child.stdout?.on('data', (data) => {
      this.stdout += String(data);
      this.#onOutput();
    });
    this.child.stderr?.on('data', (data) => {
      this.stderr += String(data);
      this.#onOutput();
    });
    this.child.stdin?.on('error', () => undefined);
    this.child.stdin?.end(options.input ?? '');
    this.ended = new Promise((resolve, reject) => {
      this.child.on('error', reject);
      this.child.on('close', (code) => {
        resolve({ code, stdout: this.stdout, stderr: this.stderr });
        this.#onOutput();
      });
    });
  }

  /** Resolves when it has written that text, and rejects when it ends without it. */
  async writes(text: string): Promise<void> {
    let isOver = false;
    void this.ended.then(() => {
      isOver = true;
    });
    while (!`${this.stdout}${this.stderr}`.includes(text)) {
      if (isOver) throw new Error(`it ended without ${text}: ${this.stdout}${this.stderr}`);
      await new Promise<void>((resolve) => {
        this.#onOutput = resolve;
      });
    }
  }
}

export interface CliOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly workingFolder?: string;
  readonly input?: string;
}
