import { Child } from '@cosi-ts/harness';
import type { ServerOrders, ServerReady } from './server.js';

type NoAnswers = Record<never, never>;

/** A server whose process can be killed, and comes back with what it had. */
export class DurableServer implements AsyncDisposable {
  readonly #orders: Omit<ServerOrders, 'port'>;
  #child: Child<NoAnswers, ServerReady>;
  #port = 0;

  private constructor(orders: Omit<ServerOrders, 'port'>) {
    this.#orders = orders;
    this.#child = this.#start();
  }

  static async start(orders: Omit<ServerOrders, 'port'>): Promise<DurableServer> {
    const server = new DurableServer(orders);
    server.#port = (await server.#child.ready).port;
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Kills it without a warning, and resolves when it serves again. */
  async killAndRestart(): Promise<void> {
    await this.#child.kill('SIGKILL');
    this.#child = this.#start();
    await this.#child.ready;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child.kill('SIGKILL');
  }

  #start(): Child<NoAnswers, ServerReady> {
    const orders: ServerOrders = { ...this.#orders, port: this.#port };
    return new Child(new URL('./server.js', import.meta.url), {
      args: [JSON.stringify(orders)],
      execArgv: ['--enable-source-maps'],
    });
  }
}
