import { type ChildProcess, fork } from 'node:child_process';
import type { Answer, Question } from './answers.js';
import { readyNumber } from './answers.js';

/** What a child can be asked: at most one argument, and what both are is JSON. */
// biome-ignore lint/suspicious/noExplicitAny: each question has an argument of its own.
export type Answers = Readonly<Record<string, (argument: any) => unknown>>;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ChildOptions {
  readonly args?: readonly string[] | undefined;
  /** Of Node. */
  readonly execArgv?: readonly string[] | undefined;
}

/** How long a child may take to answer. */
const answerMs = 60_000;

/** A process that was started to be asked, and perhaps killed. */
export class Child<A extends Answers, Ready = unknown> {
  readonly #process: ChildProcess;
  readonly #open = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  /** What it said when it was ready. Rejects when it ended before. */
  readonly ready: Promise<Ready>;
  readonly ended: Promise<Exit>;
  /** How it ended, when it has. */
  exit: Exit | undefined;
  /** The last that it wrote to its standard error. */
  errors = '';
  #next = readyNumber;

  /** @param script the file of the program, which calls `answerQuestions` */
  constructor(script: URL, options: ChildOptions = {}) {
    this.#process = fork(script, options.args, {
      execArgv: [...(options.execArgv ?? [])],
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    });
    this.#process.on('message', (answer: Answer) => this.#settle(answer));
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.errors = (this.errors + text).slice(-20_000);
    });
    this.ended = new Promise((resolve, reject) => {
      this.#process.once('error', reject);
      this.#process.once('close', (code, signal) => {
        this.exit = { code, signal };
        const error = new Error(`the child has ended with ${code ?? signal}: ${this.errors}`);
        for (const { reject: rejectAnswer } of this.#open.values()) rejectAnswer(error);
        this.#open.clear();
        resolve(this.exit);
      });
    });
    this.ready = this.#answer('to start') as Promise<Ready>;
    this.ready.catch(() => {});
  }

  get pid(): number {
    return this.#process.pid as number;
  }

  /** Rejects with what the answer threw, when the child ends before it answers, and when it takes a minute. */
  async ask<N extends keyof A & string>(name: N, ...[argument]: Parameters<A[N]>): Promise<Awaited<ReturnType<A[N]>>> {
    if (this.exit !== undefined) throw new Error(`the child has ended: ${this.errors}`);
    const question: Question = { number: this.#next, name, argument };
    const answer = this.#answer(name);
    this.#process.send(question, () => {});
    return (await answer) as Awaited<ReturnType<A[N]>>;
  }

  /** Ends the process at once. Resolves when it has ended. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.#process.kill(signal);
    await this.ended;
  }

  #answer(what: string): Promise<unknown> {
    const number = this.#next++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#open.delete(number);
        reject(new Error(`the child took longer than ${answerMs} ms ${what}`));
      }, answerMs);
      const settled = () => clearTimeout(timer);
      this.#open.set(number, {
        resolve: (value) => {
          settled();
          resolve(value);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      });
    });
  }

  #settle(answer: Answer): void {
    const open = this.#open.get(answer.number);
    this.#open.delete(answer.number);
    if ('error' in answer) open?.reject(new Error(answer.error));
    else open?.resolve(answer.value);
  }
}
