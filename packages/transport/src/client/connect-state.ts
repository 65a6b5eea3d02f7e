import { GrpcChannel } from './grpc/grpc-channel.js';
import { Connections } from './node/connections.js';
import { parseServerUrl } from './node/server-address.js';
import { type ConnectStateOptions, resolveConnectStateOptions } from './options.js';
import { tokensFor } from './remote-options.js';
import { type RemoteState, remoteState } from './remote-state.js';

/**
 * A state that is served elsewhere, over gRPC: the same interface, with the same errors and the same watches. Connects
 * with the first call, and again after a connection broke. Watches go on over that, unless they cannot without missing
 * something. `close` ends all watches and waits for the other calls in progress.
 *
 * @param url where the server listens: `http://127.0.0.1:4001`, `https://state.example.org`, `unix:/run/state.sock`
 */
export function connectState(url: string, options?: ConnectStateOptions): RemoteState {
  const address = parseServerUrl(url);
  const resolved = resolveConnectStateOptions(options);
  const { tls = {}, keepalive, connectTimeoutMs, clock, maxMessageBytes } = resolved;
  if (resolved.tls !== undefined && !address.secure) throw new TypeError(`tls is for https: URLs, not for ${url}`);
  const tokens = tokensFor(resolved, url, address.secure || address.local);
  const connections = new Connections(address, { tls, keepalive, connectTimeoutMs, clock });
  const channel = new GrpcChannel(connections, address.host, maxMessageBytes);
  const sameBytes = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;
  return remoteState(channel, { ...resolved, sameBytes }, () => connections.close(), tokens);
}
