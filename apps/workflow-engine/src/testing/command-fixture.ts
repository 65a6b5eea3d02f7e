import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from '../app.js';
import { parseCommandLine } from '../cli/command-line.js';
import { runClient } from '../cli/run-client.js';
import type { Terminal } from '../commands/terminal.js';

export interface CommandOutcome {
  readonly code: number;
  /** What was asked for. */
  readonly out: string;
  /** What was said about it. */
  readonly notes: string;
}

export interface CommandOptions {
  /** Is called with all that was written so far, whenever something is. */
  readonly onWrite?: (text: string) => void;
  readonly terminal?: Partial<Terminal>;
}

/** Commands of the client in this process, in a folder of their own, at an engine. */
export class CommandFixture implements AsyncDisposable {
  readonly folder: string;
  readonly #server: string;

  private constructor(folder: string, server: string) {
    this.folder = folder;
    this.#server = server;
  }

  static async make(app: Pick<App, 'url'>, files: Readonly<Record<string, string>>): Promise<CommandFixture> {
    const folder = await mkdtemp(join(tmpdir(), 'workflow-commands-'));
    await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
    return new CommandFixture(folder, app.url);
  }

  /** The path of a file. */
  file(name: string): string {
    return join(this.folder, name);
  }

  /** Runs a command to its end. Words like `@name` are paths of files. */
  async run(args: readonly string[], { onWrite, terminal }: CommandOptions = {}): Promise<CommandOutcome> {
    let [out, notes] = ['', ''];
    const write = (text: string) => {
      out += text;
      onWrite?.(out + notes);
    };
    const note = (text: string) => {
      notes += text;
      onWrite?.(out + notes);
    };
    const paths = args.map((arg) => (arg.startsWith('@') ? this.file(arg.slice(1)) : arg));
    const task = parseCommandLine(paths, {
      version: '1.2.3',
      dataFolder: this.folder,
      page: undefined,
      environment: { WORKFLOW_SERVER: this.#server },
      write: note,
    });
    if (task?.name !== 'client') throw new Error(`this is no command of the client: ${args.join(' ')}: ${notes}`);
    const code = await runClient(task, {
      terminal: {
        print: (line) => write(`${line}\n`),
        note: (line) => note(`${line}\n`),
        write,
        isLive: false,
        hasColors: false,
        columns: 80,
        rows: 24,
        ...terminal,
      },
      startLocal: () => Promise.reject(new Error('there is an engine')),
      onInterrupt: () => ({ [Symbol.dispose]: () => undefined }),
      user: 'tester',
    });
    return { code, out, notes };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
