import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { wire } from '@cosi-ts/proto';
import { defineResource } from '@cosi-ts/resource';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { afterEach, describe, expect, it } from 'vitest';
import { ObservedCore } from '../testdata/observed-core.js';
import { protocolEntries, protocols } from '../testdata/protocols.js';
import type { ServeStateOptions } from './options.js';
import { type StateServer, serveState } from './serve-state.js';

const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = wire.HealthCheckResponse_ServingStatus;
const Disk = defineResource({ type: 'Disks.test', namespace: 'a' });
const servers: StateServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(options: ServeStateOptions = {}, core = new ObservedCore(new InMemoryState())) {
  const server = await serveState(core, { address: '127.0.0.1:0', ...options });
  servers.push(server);
  return server;
}

const codeOf = (error: unknown) => ConnectError.from(error).code;

describe('health', () => {
  it.each(protocolEntries)('%s: the server and its services serve', async (_name, protocol) => {
    const server = await serve();
    const health = createClient(wire.Health, protocol({ url: server.url }));
    for (const service of ['', 'cosi.resource.State', 'grpc.health.v1.Health']) {
      expect((await health.check({ service })).status).toBe(SERVING);
    }
    const unknown = await health.check({ service: 'cosi.resource.Nothing' }).catch(codeOf);
    expect(unknown).toBe(Code.NotFound);
  });

  it('N8: asks nobody who they are', async () => {
    const server = await serve({ authenticate: () => undefined });
    const transport = protocols['gRPC over HTTP/2']({ url: server.url });
    expect((await createClient(wire.Health, transport).check({})).status).toBe(SERVING);
    const state = createClient(wire.State, transport);
    expect(await state.get({ namespace: 'a', type: 'T', id: 'x' }).catch(codeOf)).toBe(Code.Unauthenticated);
  });

  it.each(protocolEntries)('%s: a watch tells when the server shuts down, and ends', async (_name, protocol) => {
    const server = await serve();
    const health = createClient(wire.Health, protocol({ url: server.url }));
    const seen: unknown[] = [];
    const watched = (async () => {
      for await (const { status } of health.watch({ service: 'cosi.resource.State' })) {
        seen.push(status);
        if (status === SERVING) void server.close();
      }
    })().catch(codeOf);
    expect(await watched).toBe(Code.Unavailable);
    expect(seen).toEqual([SERVING, NOT_SERVING]);
  });

  it('a watch of an unknown service says so, and goes on', async () => {
    const server = await serve();
    const health = createClient(wire.Health, protocols['gRPC over HTTP/2']({ url: server.url }));
    const stop = new AbortController();
    const seen: unknown[] = [];
    const watched = (async () => {
      for await (const { status } of health.watch({ service: 'none' }, { signal: stop.signal })) {
        seen.push(status);
        stop.abort();
      }
    })().catch(codeOf);
    expect(await watched).toBe(Code.Canceled);
    expect(seen).toEqual([SERVICE_UNKNOWN]);
  });

  it('N3: while calls are waited for at the end, it is not serving, and connections over HTTP/1.1 are not kept', async () => {
    const core = new ObservedCore(new InMemoryState());
    const server = await serve({}, core);
    const transport = protocols['Connect over HTTP/1.1']({ url: server.url });
    const client = createClient(wire.State, transport);
    let release: () => void = () => {};
    const reached = new Promise<void>((resolve) => {
      core.before = () => {
        resolve();
        return new Promise((pass) => {
          release = pass;
        });
      };
    });
    // A second connection, which is kept open for the question.
    const raw = await openConnection(server.address);
    expect(await raw.ask('/cosi.resource.State/Nothing')).toMatch(
      /^HTTP\/1\.1 404 (?:.|\n|\r)*connection: keep-alive/i,
    );
    const half = raw.begin('/grpc.health.v1.Health/Check');
    const got = client.get(Disk.at('none')).catch(codeOf);
    await reached;
    const closed = server.close();
    const answer = await half.finish('{}');
    expect(answer).toMatch(/connection: close/i);
    expect(answer).toMatch(/NOT_SERVING/);
    release();
    expect(await got).toBe(Code.NotFound);
    await closed;
  });
});

/** A connection that speaks HTTP/1.1, one request after the other. */
async function openConnection(address: string) {
  const [host, port] = address.split(':');
  const net = await import('node:net');
  const socket = net.connect(Number(port), host);
  let received = '';
  let wake: () => void = () => {};
  socket.on('data', (chunk) => {
    received += String(chunk);
    wake();
  });
  const answer = async (): Promise<string> => {
    while (!/\r\n\r\n(?:.|\n)*(?:0\r\n\r\n|\})/.test(received))
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    const text = received;
    received = '';
    return text;
  };
  const head = (path: string, length: number) =>
    `POST ${path} HTTP/1.1\r\nhost: ${address}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
  return {
    ask(path: string) {
      socket.write(head(path, 0));
      return answer();
    },
    begin(path: string) {
      socket.write(head(path, 2));
      return {
        finish(body: string) {
          socket.write(body);
          return answer();
        },
      };
    },
  };
}
