import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '@cosi-ts/state';

/** So often something is sent, so that a connection that is dead is noticed. */
const heartbeatMs = 15_000;

/** A response of server-sent events (HTML standard, 9.2). */
export class EventStream implements Disposable {
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #heartbeat: Timer | undefined;

  constructor(response: ServerResponse, clock: Clock, signal: AbortSignal) {
    this.#response = response;
    this.#clock = clock;
    this.#signal = signal;
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Proxies are to pass events on as they come.
      'x-accel-buffering': 'no',
    });
    // How long a browser waits before it connects again.
    response.write('retry: 1000\n\n');
    this.#beat();
  }

  /** Resolves when the client can take more. Rejects with the signal's reason. */
  async send(event: string, data: unknown, id?: string): Promise<void> {
    this.#signal.throwIfAborted();
    const lines = id === undefined ? '' : `id: ${id}\n`;
    // JSON on one line holds no line break that would end the data.
    if (!this.#response.write(`${lines}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)) await this.#drained();
  }

  #drained(): Promise<void> {
    return new Promise((resolve, reject) => {
      const onDrain = () => {
        this.#signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = () => {
        this.#response.off('drain', onDrain);
        reject(this.#signal.reason);
      };
      this.#response.once('drain', onDrain);
      this.#signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #beat(): void {
    this.#heartbeat = this.#clock.schedule(heartbeatMs, () => {
      this.#response.write(': still here\n\n');
      this.#beat();
    });
  }

  [Symbol.dispose](): void {
    this.#heartbeat?.cancel();
    this.#response.end();
  }
}
