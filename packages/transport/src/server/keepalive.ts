import type http2 from 'node:http2';
import type net from 'node:net';
import type { Clock, Timer } from '@cosi-ts/state';

export interface KeepaliveOptions {
  /** How long nothing may have come before the client is asked for a sign of life. */
  readonly pingIntervalMs: number;
  /** How long it has for that. */
  readonly pingTimeoutMs: number;
}

/** How often it is looked within the interval whether something has come: a silence is noticed that much late at most. */
const looks = 4;

/**
 * Ends an HTTP/2 connection whose client has fallen silent. Whatever comes from it is a sign of life: a client that
 * takes what it is sent slowly may have an answer to a ping behind much else.
 *
 * @param end ends the connection at once
 */
export function keepAlive(
  session: http2.ServerHttp2Session,
  socket: net.Socket,
  { pingIntervalMs, pingTimeoutMs }: KeepaliveOptions,
  clock: Clock,
  end: () => void,
): void {
  let timer: Timer | undefined;
  let seenBytes = socket.bytesRead;
  const hasSpoken = () => {
    const before = seenBytes;
    seenBytes = socket.bytesRead;
    return seenBytes !== before;
  };
  const after = (delayMs: number, next: () => void) => {
    if (!session.destroyed) timer = clock.schedule(delayMs, next);
  };
  const listen = (left = looks) => after(pingIntervalMs / looks, () => heard(hasSpoken() ? looks : left - 1));
  const heard = (left: number) => (left > 0 || session.destroyed ? listen(left) : ask());
  const ask = () => {
    session.ping(() => {});
    // What had come while the process was busy is read in the turn after the time is up.
    after(pingTimeoutMs, () => after(0, () => (hasSpoken() ? listen() : end())));
  };
  listen();
  session.once('close', () => timer?.cancel());
}
