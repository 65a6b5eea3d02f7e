import type net from 'node:net';
import type { Clock } from '@cosi-ts/state';

export type Protocol = 'http1' | 'http2';

/** What every HTTP/2 connection without TLS begins with. */
const prefaceStart = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** Reads the first bytes of a connection, puts them back, and tells what they begin. Ends a connection that sends none. */
export function firstProtocol(
  socket: net.Socket,
  limitMs: number,
  clock: Clock,
  onProtocol: (protocol: Protocol) => void,
): void {
  const timer = clock.schedule(limitMs, () => socket.destroy());
  let first: Buffer = Buffer.alloc(0);
  socket.once('close', () => timer.cancel());
  const read = (): Buffer | null => socket.read();
  const onReadable = () => {
    // What has come may be given in pieces, and only once all of it was taken is it said that more is there.
    for (let chunk = read(); chunk !== null; chunk = read()) first = Buffer.concat([first, chunk]);
    const protocol = protocolOf(first);
    if (protocol === undefined) return;
    timer.cancel();
    socket.off('readable', onReadable);
    socket.unshift(first);
    onProtocol(protocol);
  };
  socket.on('readable', onReadable);
}

/** Undefined when more bytes are needed to tell. */
function protocolOf(first: Buffer): Protocol | undefined {
  const length = Math.min(first.length, prefaceStart.length);
  if (first.compare(prefaceStart, 0, length, 0, length) !== 0) return 'http1';
  return first.length >= prefaceStart.length ? 'http2' : undefined;
}
