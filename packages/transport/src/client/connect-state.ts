import { createTransport } from '@connectrpc/connect/protocol-grpc';
import { createNodeHttpClient } from '@connectrpc/connect-node';
import { Connections } from './connections.js';
import { type ConnectStateOptions, resolveConnectStateOptions, serverUrl } from './options.js';
import { type RemoteState, remoteState } from './remote-state.js';

/** A compression that requests never reach. */
const neverCompress = 2 ** 32 - 1;

/**
 * A state that is served elsewhere, over gRPC: the same interface, with the same errors and the same watches. Connects
 * with the first call.
 *
 * A watch whose stream breaks ends with an errored event of code `unavailable`. `close` ends all watches and waits for
 * the other calls in progress.
 *
 * @param url where the server listens: `http://127.0.0.1:4001`
 */
export function connectState(url: string, options?: ConnectStateOptions): RemoteState {
  const baseUrl = serverUrl(url);
  const resolved = resolveConnectStateOptions(options);
  const connections = new Connections(baseUrl, resolved.clock);
  const transport = createTransport({
    baseUrl,
    httpClient: createNodeHttpClient({ httpVersion: '2', sessionProvider: () => connections.next() }),
    useBinaryFormat: true,
    interceptors: [],
    // A peer that was not seen to know an encoding takes none, and answers compressed cost more than they save nearby.
    acceptCompression: [],
    sendCompression: null,
    compressMinBytes: neverCompress,
    readMaxBytes: resolved.maxMessageBytes,
    writeMaxBytes: resolved.maxMessageBytes,
  });
  return remoteState(transport, resolved, () => connections.close());
}
