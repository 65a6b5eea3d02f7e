import net from 'node:net';
import { answered, type Target } from './attack.js';

/** A connection of bytes, on which nothing is understood. */
export class RawSocket implements AsyncDisposable {
  readonly socket: net.Socket;
  /** Resolves when the connection has been closed, by whomever. */
  readonly closed: Promise<void>;
  #received: Buffer[] = [];
  #wake: () => void = () => {};

  constructor({ host, port }: Target) {
    this.socket = net.connect({ host, port, noDelay: true });
    this.socket.on('error', () => {});
    this.socket.on('data', (chunk) => {
      this.#received.push(chunk);
      this.#wake();
    });
    this.closed = new Promise((resolve) => {
      this.socket.once('close', () => {
        this.#wake();
        resolve();
      });
    });
  }

  /** What has come so far. */
  get received(): Buffer {
    const all = Buffer.concat(this.#received);
    this.#received = [all];
    return all;
  }

  write(bytes: Uint8Array | string): void {
    if (!this.socket.destroyed) this.socket.write(bytes);
  }

  /** Resolves when the function accepts what has come, or the connection is closed. */
  async until(accepts: (received: Buffer) => boolean, what: string, sent?: Uint8Array): Promise<void> {
    const wait = async () => {
      while (!accepts(this.received) && !this.socket.closed) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    };
    await answered(wait(), what, sent);
  }

  /** Ends the connection: in order, or with a reset. */
  async end(how: 'close' | 'reset' = 'close'): Promise<void> {
    // It would wait until all is sent; told to end at once, it resets at once.
    if (how === 'reset') this.socket.resetAndDestroy();
    this.socket.destroy();
    await this.closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end();
  }
}
