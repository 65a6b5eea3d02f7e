import { Child } from '@cosi-ts/harness';
import type { HistoryQuestion, ServerAnswers, ServerOrders, ServerReady } from './server.js';

/** A server whose process can be killed, and comes back with what it had. */
export class DurableServer implements AsyncDisposable {
  readonly #folder: string;
  #child: Child<ServerAnswers, ServerReady>;
  #port = 0;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#child = this.#start();
  }

  static async start(folder: string): Promise<DurableServer> {
    const server = new DurableServer(folder);
    server.#port = (await server.#child.ready).port;
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Kills it without a warning. */
  async kill(): Promise<void> {
    await this.#child.kill('SIGKILL');
  }

  /** After {@link kill}: resolves when it serves again. */
  async restart(): Promise<void> {
    this.#child = this.#start();
    await this.#child.ready;
  }

  watches(): Promise<number> {
    return this.#child.ask('watches');
  }

  history(question: HistoryQuestion): Promise<readonly string[]> {
    return this.#child.ask('history', question);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  #start(): Child<ServerAnswers, ServerReady> {
    const orders: ServerOrders = { folder: this.#folder, port: this.#port };
    return new Child(new URL('./server.js', import.meta.url), {
      args: [JSON.stringify(orders)],
      execArgv: ['--enable-source-maps'],
    });
  }
}
