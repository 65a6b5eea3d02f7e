import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { ServedState } from './our-servers.js';

export const goBackends = ['in-memory', 'bbolt'] as const;

/** A process of the Go implementation, which does what it is asked over HTTP. */
export class GoPeer implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #url: string;
  readonly #log: string[];

  private constructor(child: ChildProcess, url: string, log: string[]) {
    this.#child = child;
    this.#url = url;
    this.#log = log;
  }

  static async start(program: string): Promise<GoPeer> {
    const child = spawn(program, ['serve'], { stdio: ['pipe', 'pipe', 'pipe'] });
    const log: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => log.push(line));
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`the Go program ended with ${code}: ${log.join('\n')}`);
    });
    const lines = createInterface({ input: child.stdout });
    const [address] = await Promise.race([once(lines, 'line'), ended]);
    ended.catch(() => undefined);
    return new GoPeer(child, `http://${address}`, log);
  }

  /** What it has logged. */
  get log(): readonly string[] {
    return this.#log;
  }

  /** The answer to a request, whose body is given as JSON. Rejects for everything but success. */
  async ask(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
    const init = { method, body: body === undefined ? null : JSON.stringify(body), signal: signal ?? null };
    const response = await fetch(`${this.#url}${path}`, init).catch((cause: unknown) => {
      throw new Error(`${method} ${path}: the Go program does not answer\n${this.#lastWords()}`, { cause });
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${(await response.text()).trim()}`);
    return response;
  }

  #lastWords(): string {
    if (this.#child.exitCode === null) return 'it is still running';
    const panic = this.#log.findIndex((line) => /^(panic|fatal error):/.test(line));
    return this.#log.slice(panic).slice(0, 40).join('\n');
  }

  /** Serves a state with nothing in it. */
  async serve(backend: string): Promise<ServedState> {
    const address = await (await this.ask('POST', `/servers?backend=${backend}`)).text();
    const on = async (method: string, action = '') => {
      await (await this.ask(method, `/servers/${address}${action}`)).text();
    };
    const close = () => on('DELETE');
    return {
      address,
      pause: () => on('POST', '/pause'),
      resume: () => on('POST', '/resume'),
      reopen: () => on('POST', '/reopen'),
      close,
      [Symbol.asyncDispose]: close,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await ended;
  }
}
