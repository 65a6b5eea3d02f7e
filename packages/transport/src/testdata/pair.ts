import type { CoreState } from '@cosi-ts/state';
import {
  type ConnectStateOptions,
  connectState,
  type RemoteState,
  type ServeStateOptions,
  serveState,
} from '../index.js';
import type { StateServer } from '../server/serve-state.js';

/** A state behind a server and a client on loopback. */
export interface Pair extends AsyncDisposable {
  readonly server: StateServer;
  readonly client: RemoteState;
}

export async function connected(
  core: CoreState,
  options: { readonly server?: ServeStateOptions; readonly client?: ConnectStateOptions } = {},
): Promise<Pair> {
  const server = await serveState(core, { address: '127.0.0.1:0', ...options.server });
  const client = connectState(server.url, options.client);
  return {
    server,
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.close();
    },
  };
}
