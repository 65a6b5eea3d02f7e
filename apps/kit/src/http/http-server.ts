import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '@cosi-ts/runtime';
import { type Clock, sleep } from '@cosi-ts/state';
import { Problem, problemOf } from './problem.js';
import { checkRequest } from './request-guard.js';
import { type Route, Router } from './router.js';

export interface HttpServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly routes: readonly Route[];
  /** Answers what no route does. False: nor does it. */
  readonly fallback: (request: IncomingMessage, response: ServerResponse, path: string) => boolean;
  /** Names by which the server may be addressed, beside IP addresses and localhost. */
  readonly allowedHosts: readonly string[];
  /** What users call a type of resources. Default: as it is called. */
  readonly nameOf?: (type: string) => string;
  /** How errors are told: `problem` is RFC 9457, and `error` an object under that name. Default: `error`. */
  readonly errorFormat?: 'error' | 'problem';
  readonly logger: Logger;
  readonly clock: Clock;
}

/** How long `close` waits for answers that are being given. */
const drainMs = 500;

/** The HTTP server: finds the route, turns errors into answers, and ends with everything it began. */
export class HttpServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #router: Router;
  readonly #options: HttpServerOptions;
  readonly #closed = new AbortController();
  readonly #working = new Set<Promise<void>>();
  #closing: Promise<void> | undefined;

  private constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#router = new Router(options.routes);
    this.#server = createServer({ requestTimeout: 60_000, headersTimeout: 20_000 }, (request, response) => {
      const work = this.#answer(request, response).finally(() => this.#working.delete(work));
      this.#working.add(work);
    });
  }

  /** Rejects with Node's error when the port cannot be opened. */
  static async listen(options: HttpServerOptions): Promise<HttpServer> {
    const server = new HttpServer(options);
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', reject);
      server.#server.listen({ host: options.host, port: options.port }, () => {
        server.#server.off('error', reject);
        resolve();
      });
    });
    return server;
  }

  get url(): string {
    const { address, family, port } = this.#server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { clock, logger } = this.#options;
    const begin = clock.monotonicMs();
    const gone = new AbortController();
    const onServerClose = () => gone.abort(this.#closed.signal.reason);
    if (this.#closed.signal.aborted) onServerClose();
    else this.#closed.signal.addEventListener('abort', onServerClose, { once: true });
    response.once('close', () => gone.abort(new Error('the client has gone')));
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('cache-control', 'no-store');
    try {
      await this.#route(request, response, gone.signal);
    } catch (error) {
      this.#refuse(error, request, response, gone.signal);
    } finally {
      this.#closed.signal.removeEventListener('abort', onServerClose);
      const facts = { method: request.method, path: request.url, status: response.statusCode };
      const ms = Math.round(clock.monotonicMs() - begin);
      if (request.method === 'GET' || request.method === 'HEAD') logger.debug({ ...facts, ms }, 'request');
      else logger.info({ ...facts, ms }, 'request');
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    checkRequest(request, this.#options.allowedHosts);
    const url = parseTarget(request.url ?? '/');
    const found = this.#router.find(request.method ?? 'GET', url.pathname);
    if (found === undefined) {
      if (this.#options.fallback(request, response, url.pathname)) return;
      throw new Problem(404, 'not-found', `there is nothing at ${url.pathname}`, { hint: 'GET / is the page' });
    }
    const api = { raw: request, response, params: found.params, query: url.searchParams, signal };
    const reply = await found.handler(api);
    if (reply !== undefined) sendJson(response, reply.status, reply.body, reply.headers);
  }

  #refuse(error: unknown, request: IncomingMessage, response: ServerResponse, signal: AbortSignal): void {
    if (response.destroyed || response.writableEnded) return;
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (signal.aborted) {
      const stopping = new Problem(503, 'unavailable', 'the server is stopping', { headers: { connection: 'close' } });
      this.#sendProblem(response, stopping, stopping.headers);
      return;
    }
    let problem = problemOf(error, this.#options.nameOf ?? ((type) => type));
    if (problem === undefined) {
      this.#options.logger.error({ err: error, method: request.method, path: request.url }, 'request failed');
      problem = new Problem(500, 'internal', 'something went wrong here; the log says what');
    }
    // What is left of a body that was not read would be taken for the next request.
    const headers = request.complete ? problem.headers : { ...problem.headers, connection: 'close' };
    this.#sendProblem(response, problem, headers);
  }

  #sendProblem(response: ServerResponse, problem: Problem, headers: Readonly<Record<string, string>>): void {
    if (this.#options.errorFormat !== 'problem') {
      sendJson(response, problem.status, problem, headers);
      return;
    }
    const type = { 'content-type': 'application/problem+json; charset=utf-8' };
    sendJson(response, problem.status, problem.toProblemJson(), { ...type, ...headers });
  }

  /** Ends streams at once, waits a moment for other answers, and closes every connection. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    this.#closed.abort(new Error('the server is stopping'));
    this.#server.closeIdleConnections();
    const drained = new AbortController();
    const limit = sleep(this.#options.clock, drainMs, drained.signal).catch(() => undefined);
    await Promise.race([limit, Promise.allSettled(this.#working)]);
    drained.abort();
    this.#server.closeAllConnections();
    await ended;
    await Promise.allSettled(this.#working);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function parseTarget(target: string): URL {
  try {
    return new URL(target, 'http://server');
  } catch {
    throw new Problem(400, 'invalid-argument', 'the path of the request is malformed');
  }
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = `${JSON.stringify(body, undefined, 2)}\n`;
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(response.req.method === 'HEAD' ? undefined : text);
}
