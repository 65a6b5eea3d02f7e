import net from 'node:net';
import { defineResource } from '@cosi-ts/resource';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { envelope } from '../testdata/envelopes.js';
import { ObservedCore } from '../testdata/observed-core.js';
import { type StateServer, serveState } from './serve-state.js';

const Thing = defineResource<{ text: string }>({ type: 'Things.test', namespace: 'a' });
const kind = JSON.stringify({ namespace: 'a', type: 'Things.test' });

function request(rpc: string, contentType: string, body: Uint8Array): Buffer {
  const head = `POST /cosi.resource.State/${rpc} HTTP/1.1\r\nhost: x\r\ncontent-type: ${contentType}\r\n`;
  return Buffer.concat([Buffer.from(`${head}content-length: ${body.length}\r\n\r\n`), body]);
}

const watch = request('Watch', 'application/connect+json', envelope(Buffer.from(kind)));
const list = request('List', 'application/connect+json', envelope(Buffer.from(kind)));
const get = request('Get', 'application/json', Buffer.from('{}'));

describe('requests behind others on a connection of HTTP/1.1', () => {
  let core: ObservedCore;
  let server: StateServer;

  beforeEach(async () => {
    core = new ObservedCore(new InMemoryState());
    server = await serveState(core, { address: '127.0.0.1:0', drainMs: 1e9 });
  });

  function send(bytes: Uint8Array): net.Socket {
    const [host, port] = server.address.split(':');
    const socket = net.connect(Number(port), host);
    socket.on('error', () => {});
    socket.write(bytes);
    return socket;
  }

  afterEach(() => server.close());

  it.each(['destroy', 'resetAndDestroy'] as const)(
    'N9: watches whose turn has not come are freed when the connection ends (%s)',
    async (end) => {
      const socket = send(Buffer.concat([watch, watch, watch]));
      await core.watching(3);
      socket[end]();
      await core.watching(0);
    },
  );

  it('N3: a drain does not wait for answers whose turn cannot come any more', async () => {
    for (let i = 0; i < 30; i++) await core.create(Thing.new(`thing-${i}`, { text: 'x'.repeat(10_000) }));
    const socket = send(Buffer.concat([watch, get, list, get]));
    await core.watching(1);
    while (core.calls.filter(({ name }) => name === 'get').length < 2) await new Promise((go) => setImmediate(go));
    socket.destroy();
    await core.watching(0);
    await expect(server.close()).resolves.toBeUndefined();
  });
});
