import { constants, type ServerHttp2Session } from 'node:http2';
import { setImmediate } from 'node:timers';
import type { Clock } from '@cosi-ts/state';

/** The highest id of a stream: a GOAWAY with it refuses none. */
const lastOfAllStreams = 2 ** 31 - 1;

/** How often it is looked again whether a client that reads slowly has been sent what was to be sent. */
const lookMs = 20;

/**
 * Gives the session another `close()`, also for Node itself, which calls it when a client sends GOAWAY.
 *
 * Node's own marks the session as closed at once, and leaves its GOAWAY to be sent later. A request that is read in
 * between (all it takes is that the client sends it right behind its own GOAWAY) is refused from within the reading of
 * frames: Node 20, and others before 22.23.2, 24.18.1 and 26.5.1, send the GOAWAY then, which frees the stream that is
 * being read. What follows uses memory that may belong to something else by then, and kills the process sooner or later
 * (see https://github.com/nodejs/node/issues/64113).
 *
 * This one does it in two steps, as RFC 9113 (6.8) advises. First goes a GOAWAY that refuses no stream: requests that are
 * read until it has been sent are served, later ones are not even told of. When it has been sent Node's own `close()` is
 * called, which tells the client which stream was the last that counted, and ends the session with its last stream.
 */
export function closeInTwoSteps(session: ServerHttp2Session, clock: Clock): void {
  const close = session.close.bind(session);
  let isClosing = false;
  const look = () => {
    if (session.destroyed) return;
    if (session.state.outboundQueueSize === 0) close();
    else clock.schedule(lookMs, look);
  };
  session.close = (callback) => {
    if (session.destroyed) return;
    if (callback !== undefined) session.once('close', callback);
    if (isClosing) return;
    isClosing = true;
    session.goaway(constants.NGHTTP2_NO_ERROR, lastOfAllStreams);
    // No time, but a turn of the loop: what is to be sent is handed on before the callbacks of the turn are called.
    setImmediate(look);
  };
}
