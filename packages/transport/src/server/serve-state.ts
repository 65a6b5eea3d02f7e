import { createConnectRouter } from '@connectrpc/connect';
import { compressionGzip } from '@connectrpc/connect-node';
import { wire } from '@cosi-ts/proto';
import { type CoreState, sleep } from '@cosi-ts/state';
import { parseAddress } from './address.js';
import { stateService } from './connect-service.js';
import { stateHandlers } from './handlers.js';
import { Listener } from './listener.js';
import { type ResolvedServeStateOptions, resolveServeStateOptions, type ServeStateOptions } from './options.js';
import { Outgoing } from './outgoing.js';
import { RequestListener } from './request-listener.js';
import { Shutdown } from './shutdown.js';

/** A state that is being served. */
export interface StateServer extends AsyncDisposable {
  /** `host:port` as it was bound. */
  readonly address: string;
  /** What clients connect to. */
  readonly url: string;
  /**
   * Ends watches and refuses new calls, both as unavailable, waits for the other calls up to the drain time, and ends
   * the connections. The state stays open. Can be called any number of times.
   */
  close(): Promise<void>;
}

/** How long calls that had to be aborted have for saying so to their callers. */
const lastAnswersMs = 1000;

/** A response is compressed from this size on: never, because it costs more than loopback and local networks do. */
const neverCompress = 2 ** 32 - 1;

/**
 * Serves the state as `cosi.resource.State`: over gRPC, gRPC-Web and Connect, on HTTP/2 and HTTP/1.1, all on one port.
 * Resolves when the port is open; rejects with Node's error when it cannot be opened.
 *
 * Nothing here asks who the caller is: serve on loopback, or a state that is filtered.
 */
export async function serveState(core: CoreState, options?: ServeStateOptions): Promise<StateServer> {
  const resolved = resolveServeStateOptions(options);
  const shutdown = new Shutdown();
  const handlers = stateHandlers(core, new Outgoing(resolved), resolved.clock);
  const router = createConnectRouter({
    readMaxBytes: resolved.maxMessageBytes,
    writeMaxBytes: resolved.maxMessageBytes,
    acceptCompression: [compressionGzip],
    compressMinBytes: neverCompress,
  }).service(wire.State, stateService(handlers, shutdown));
  const requests = new RequestListener(router.handlers, resolved.clock, resolved.logger);
  const listener = await Listener.open(parseAddress(resolved.address), requests.listen, resolved.clock);
  return new RunningServer(listener, requests, shutdown, resolved);
}

class RunningServer implements StateServer {
  readonly address: string;
  readonly #listener: Listener;
  readonly #requests: RequestListener;
  readonly #shutdown: Shutdown;
  readonly #options: ResolvedServeStateOptions;
  #closing: Promise<void> | undefined;

  constructor(listener: Listener, requests: RequestListener, shutdown: Shutdown, options: ResolvedServeStateOptions) {
    this.address = listener.address;
    this.#listener = listener;
    this.#requests = requests;
    this.#shutdown = shutdown;
    this.#options = options;
  }

  get url(): string {
    return `http://${this.address}`;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#shutdown.close();
    this.#listener.stop();
    await this.#within(this.#options.drainMs, this.#requests.idle());
    this.#shutdown.abort();
    await this.#within(
      lastAnswersMs,
      this.#requests.idle().then(() => this.#listener.drained()),
    );
    await this.#listener.close();
    await this.#requests.idle();
  }

  /** Waits for the work, but not for longer. */
  async #within(limitMs: number, work: Promise<void>): Promise<void> {
    const done = new AbortController();
    const limit = sleep(this.#options.clock, limitMs, done.signal).catch(() => {});
    await Promise.race([work.then(() => done.abort()), limit]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
