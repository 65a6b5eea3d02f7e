import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { UniversalServerResponse } from '@connectrpc/connect/protocol';
import type { Clock } from '@cosi-ts/state';
import { product } from '../product.js';

export type NodeRequest = IncomingMessage | Http2ServerRequest;
export type NodeResponse = ServerResponse | Http2ServerResponse;

/** Resolves when the response has been handed over to the network, or its stream has ended otherwise. */
export function answered(response: NodeResponse): Promise<void> {
  return new Promise((resolve) => {
    if (isOver(response)) return resolve();
    const done = () => {
      response.off('finish', done);
      response.off('close', done);
      resolve();
    };
    response.on('finish', done);
    response.on('close', done);
  });
}

/**
 * Closes a response over HTTP/1.1 whose turn on its connection has not come, when that has been closed: Node tells only
 * the one whose turn it is.
 */
export function closeQueued(response: NodeResponse): void {
  if ('stream' in response || response.socket !== null || response.destroyed) return;
  response.destroy();
  response.emit('close');
}

/** What follows a response as it is written. */
export interface ResponseObserver {
  /** Bytes wait to be sent, until the function is called that this gives. */
  hold(bytes: number): () => void;
  sent(bytes: number): void;
  /** The body has been written, and nothing but the end is left. */
  ending(): void;
}

/**
 * Writes a response. A part of the body is asked for only when the one before was taken, so that at most one message
 * waits in a stream. Stops when the client is gone, and lets go of the body then.
 */
export async function writeResponse(
  from: UniversalServerResponse,
  response: NodeResponse,
  observer: ResponseObserver,
): Promise<void> {
  const body = from.body?.[Symbol.asyncIterator]();
  try {
    let part = await body?.next();
    if (isOver(response)) return;
    // Headers wait for the first part: until then the handler may set some.
    writeHead(response, from.status, from.header);
    while (part !== undefined && part.done !== true) {
      observer.sent(part.value.length);
      if (!write(response, part.value)) await drained(response, observer.hold(part.value.length));
      if (isOver(response)) return;
      part = await body?.next();
    }
    if (isOver(response)) return;
    observer.ending();
    if (from.trailer !== undefined) response.addTrailers(plainHeaders(from.trailer));
    response.end();
  } finally {
    await body?.return?.();
  }
}

/** How long the rest of a request is read that has been answered already. */
export const restMs = 5000;

/**
 * Reads and drops the rest of a request that was answered before it had arrived as a whole: a client that is cut off
 * while it sends loses the answer. One that does not come to an end is cut off all the same.
 */
export function dropRest(request: NodeRequest, clock: Clock): void {
  if (request.complete || request.destroyed) return;
  request.resume();
  const timer = clock.schedule(restMs, () => {
    if ('stream' in request) request.stream.close(constants.NGHTTP2_NO_ERROR);
    else request.destroy();
  });
  request.once('close', () => timer.cancel());
}

/** Ends the stream of a response that cannot be completed. */
export function abandon(response: NodeResponse): void {
  if (isOver(response)) return;
  if (!response.headersSent) writeEmpty(response, 500);
  else if ('stream' in response) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else response.destroy();
}

/** Over HTTP/1.1, the connection ends after the response. */
export function makeLast(response: NodeResponse): void {
  if (!('stream' in response) && !response.headersSent) response.shouldKeepAlive = false;
}

export function writeEmpty(response: NodeResponse, status: number): void {
  writeHead(response, status, undefined);
  response.end();
}

function writeHead(response: NodeResponse, status: number, headers: Headers | undefined): void {
  // The two classes share the method, but not its type.
  (response as ServerResponse).writeHead(status, { ...plainHeaders(headers ?? new Headers()), server: product });
}

function write(response: NodeResponse, bytes: Uint8Array): boolean {
  return (response as ServerResponse).write(bytes);
}

function drained(response: NodeResponse, release: () => void): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      response.off('error', done);
      release();
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
    response.on('error', done);
  });
}

function isOver(response: NodeResponse): boolean {
  const { destroyed } = 'stream' in response ? response.stream : response;
  return destroyed || response.writableEnded;
}

function plainHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(headers);
}
