import type { ConnectError } from '@connectrpc/connect';
import type { CallRecord } from './call-record.js';
import type { NodeRequest } from './node-response.js';

/** The body of a request, whose bytes are counted. Leaving off in the middle leaves the connection as it is. */
export function countedBody(request: NodeRequest, record: CallRecord): AsyncIterable<Uint8Array> {
  // The library's own reading of the body would cut HTTP/1.1 connections off when it stops before the end.
  const chunks: AsyncIterator<Uint8Array> = request.iterator({ destroyOnReturn: false });
  const counted: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => counted,
    async next() {
      const result = await chunks.next();
      if (result.done !== true) record.bytesReceived += result.value.length;
      return result;
    },
    async return() {
      await chunks.return?.();
      return { done: true, value: undefined };
    },
  };
  return counted;
}

/** In place of the body of a call that is refused: nothing of it is read, and each protocol says so in its own way. */
export function refusedBody(status: ConnectError): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(status) }),
  };
}
