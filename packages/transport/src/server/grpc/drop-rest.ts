import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Clock } from '@cosi-ts/state';
import { restMs } from '../node-response.js';

/** What the other one of this name does, for a stream of HTTP/2 itself. */
export function dropRest(stream: ServerHttp2Stream, clock: Clock): void {
  if (stream.readableEnded || stream.destroyed) return;
  stream.resume();
  const timer = clock.schedule(restMs, () => stream.close(constants.NGHTTP2_NO_ERROR));
  stream.once('close', () => timer.cancel());
}
