import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ServedState, serveOurs } from './our-servers.js';

/** Where programs in another language ask for servers of ours: `POST /servers?backend=…`, `DELETE /servers/host:port`. */
export interface ControlServer extends AsyncDisposable {
  readonly url: string;
}

export async function startControlServer(): Promise<ControlServer> {
  const served = new Map<string, ServedState>();

  const answer = async (request: IncomingMessage): Promise<string | undefined> => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://control');
    if (request.method === 'POST' && pathname === '/servers') {
      const fresh = await serveOurs(searchParams.get('backend') ?? '');
      served.set(fresh.address, fresh);
      return fresh.address;
    }
    const address = decodeURIComponent(/^\/servers\/([^/]+)$/.exec(pathname)?.[1] ?? '');
    const found = served.get(address);
    if (request.method !== 'DELETE' || found === undefined) return undefined;
    served.delete(address);
    await found.close();
    return '';
  };

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const text = await answer(request);
      response.writeHead(text === undefined ? 404 : 200).end(text ?? `nothing is at ${request.url}`);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  };

  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await Promise.all([...served.values()].map((each) => each.close()));
    },
  };
}
