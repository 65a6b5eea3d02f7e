import { createGrpcWebTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { connectChannel } from './client/connect-channel.js';
import { resolveConnectStateOptions } from './client/options.js';
import { type RemoteState, remoteState } from './client/remote-state.js';

/** For tests; exported by no entry of the package. A client whose calls the RPC library carries, which they are answered by on a server, too: gRPC-Web over HTTP/2. */
export function connectThroughLibrary(url: string): RemoteState {
  const sessionManager = new Http2SessionManager(url);
  const transport = createGrpcWebTransport({ baseUrl: url, httpVersion: '2', sessionManager });
  return remoteState(connectChannel(transport, true), resolveConnectStateOptions(), () => sessionManager.abort());
}
