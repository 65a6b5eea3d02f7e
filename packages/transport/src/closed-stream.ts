import type { Http2Stream } from 'node:http2';

const nothing = () => {};

/**
 * Takes all listeners from a stream that has been closed. Node goes on referring to many such streams, until memory is
 * collected as a whole: in the memory that the maps of a session have grown out of, and on clients of Node 20 in what it
 * makes for the asynchronous context of each request. With them would stay all that belonged to their calls.
 */
export function leave(stream: Http2Stream): void {
  stream.removeAllListeners();
  stream.on('error', nothing);
}
