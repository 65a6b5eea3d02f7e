import http2 from 'node:http2';
import net from 'node:net';
import tls from 'node:tls';
import { Code, ConnectError } from '@connectrpc/connect';
import type { Clock } from '@cosi-ts/state';
import { orAborted } from '../../aborted.js';
import { messageOf } from '../../causes.js';
import { sessionMemoryMegabytes, sessionWindowBytes, streamWindowBytes } from '../../limits.js';
import { connectFailure } from './connect-failure.js';
import { secureOptions } from './secure-options.js';
import type { ServerAddress } from './server-address.js';
import type { ClientTls } from './tls-options.js';

export interface SessionOptions {
  readonly tls: ClientTls;
  readonly connectTimeoutMs: number;
  readonly clock: Clock;
}

/** An HTTP/2 connection that the server has said its first words on. */
export interface Session {
  readonly http2: http2.ClientHttp2Session;
  readonly socket: net.Socket;
}

/**
 * Connects to a server. Rejects with a status that says what was tried, also when the server has not said its first
 * words within the time, or the signal aborts.
 */
export async function openSession(at: ServerAddress, options: SessionOptions, signal: AbortSignal): Promise<Session> {
  const failed = new AbortController();
  const fail = (error: unknown) => failed.abort(connectFailure(error, at));
  const onAbort = () => fail(new ConnectError('the client was closed', Code.Unavailable));
  let socket: net.Socket | undefined;
  const timer = options.clock.schedule(options.connectTimeoutMs, () => {
    const what = socket === undefined ? `there were no certificates for ${at.text}` : `${at.text} did not answer`;
    fail(new ConnectError(`${what} within ${options.connectTimeoutMs} ms`, Code.Unavailable));
  });
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    // A function that gives the certificates has no more time than all the rest.
    const secured = at.secure ? await orAborted(tlsOf(options.tls), failed.signal) : undefined;
    socket = secured === undefined ? net.connect(at.target) : tls.connect({ ...at.target, ...secured });
    // Whoever waits for the socket sees its errors. Those that come later are errors of the session, too.
    socket.on('error', () => {});
    socket.once('error', fail);
    socket.once('close', () => fail(new Error('the connection was closed before it was set up')));
    await happened(socket, at.secure ? 'secureConnect' : 'connect', failed.signal);
    if (socket instanceof tls.TLSSocket && socket.alpnProtocol !== 'h2') {
      throw new ConnectError(`${at.text} does not speak HTTP/2, which gRPC needs`, Code.Unavailable);
    }
    const connected = socket;
    const session = http2.connect(at.origin, {
      createConnection: () => connected,
      maxSessionMemory: sessionMemoryMegabytes,
      settings: { initialWindowSize: streamWindowBytes },
    });
    session.once('error', fail);
    // Every stream gets the error of its session; without a listener it would be thrown at the process as well.
    session.on('error', () => {});
    await happened(session, 'remoteSettings', failed.signal);
    session.setLocalWindowSize(sessionWindowBytes);
    return { http2: session, socket };
  } catch (error) {
    socket?.destroy();
    throw error;
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', onAbort);
  }
}

async function tlsOf(given: ClientTls): Promise<tls.ConnectionOptions> {
  try {
    return secureOptions(typeof given === 'function' ? await given() : given);
  } catch (error) {
    const text = `the certificates for the connection cannot be used: ${messageOf(error)}`;
    throw new ConnectError(text, Code.Unavailable, undefined, undefined, error);
  }
}

/** Resolves with the event. Rejects with the signal's reason. */
function happened(emitter: NodeJS.EventEmitter, event: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      emitter.off(event, onEvent);
      reject(signal.reason);
    };
    const onEvent = () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    };
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    emitter.once(event, onEvent);
  });
}
