import { createContextValues } from '@connectrpc/connect';
import type { UniversalHandler, UniversalServerRequest } from '@connectrpc/connect/protocol';
import { universalRequestFromNodeRequest } from '@connectrpc/connect-node';
import type { Clock } from '@cosi-ts/state';
import { linkSignals } from '../linked-signal.js';
import type { Logger } from '../logger.js';
import { callInfoKey } from './call-info.js';
import { scheduleDeadline, takeDeadlineMs } from './deadline.js';
import {
  abandon,
  answered,
  dropRest,
  type NodeRequest,
  type NodeResponse,
  writeEmpty,
  writeResponse,
} from './node-response.js';

/** Hands the requests of a Node server to the RPC library's handlers, and keeps count of them. */
export class RequestListener {
  readonly #handlers: ReadonlyMap<string, UniversalHandler>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #active = new Set<Promise<void>>();

  constructor(handlers: readonly UniversalHandler[], clock: Clock, logger: Logger) {
    this.#handlers = new Map(handlers.map((handler) => [handler.requestPath, handler]));
    this.#clock = clock;
    this.#logger = logger;
  }

  readonly listen = (request: NodeRequest, response: NodeResponse): void => {
    const done = answered(response);
    this.#active.add(done);
    void done.then(() => this.#active.delete(done));
    // Without a listener a failing write would be thrown at the process. The stream closes after it, which is noticed.
    response.on('error', () => {});
    this.#respond(request, response, done)
      .catch((error: unknown) => {
        this.#logger.error({ err: error, path: request.url }, 'a request failed outside of its handler');
        abandon(response);
      })
      .finally(() => dropRest(request, this.#clock));
  };

  /** Resolves when the requests that are being answered now have been. */
  async idle(): Promise<void> {
    await Promise.all(this.#active);
  }

  async #respond(request: NodeRequest, response: NodeResponse, done: Promise<void>): Promise<void> {
    const handler = this.#handlers.get(pathOf(request));
    if (handler === undefined) return writeEmpty(response, 404);
    const values = createContextValues().set(callInfoKey, { context: { peer: peerOf(request) }, answered: done });
    let universal: UniversalServerRequest;
    try {
      universal = universalRequestFromNodeRequest(request, response as never, undefined, values);
    } catch {
      // No authority, or a target that is no URL.
      return writeEmpty(response, 400);
    }
    // The library's own reading of the body would cut HTTP/1.1 connections off when it stops before the end.
    const whole = { ...universal, body: request.iterator({ destroyOnReturn: false }) };
    const deadlineMs = takeDeadlineMs(universal.header);
    if (deadlineMs === undefined) return writeResponse(await handler(whole), response);
    const linked = linkSignals(universal.signal);
    const cancel = scheduleDeadline(this.#clock, deadlineMs, linked.abort);
    try {
      await writeResponse(await handler({ ...whole, signal: linked.signal }), response);
    } finally {
      cancel();
      linked.unlink();
    }
  }
}

function pathOf(request: NodeRequest): string {
  return (request.url ?? '').split('?', 1)[0] ?? '';
}

function peerOf(request: NodeRequest): string {
  const { remoteAddress, remotePort } = request.socket;
  return remotePort === undefined ? (remoteAddress ?? '') : `${remoteAddress}:${remotePort}`;
}
