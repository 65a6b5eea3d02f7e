import { constants } from 'node:http2';
import net from 'node:net';
import { create as createMessage, toBinary } from '@bufbuild/protobuf';
import { wire } from '@cosi-ts/proto';
import { defineResource } from '@cosi-ts/resource';
import type { Event, Watch } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import { FakeServer } from '../testdata/fake-server.js';
import { connectState } from './connect-state.js';

const Blob = defineResource<{ text: string }>({ type: 'Blobs.test', namespace: 'a' });
const turn = () => new Promise((resolve) => setImmediate(resolve));
const once = { resume: false };

describe('servers that go', () => {
  const established = { messages: [new Uint8Array(0)] };

  async function last(watch: Watch<Event>): Promise<unknown> {
    const { value } = await watch.next();
    expect((await watch.next()).done).toBe(true);
    return value;
  }

  it.each([
    ['a clean end', { code: 0, message: '' }, 'unavailable'],
    ['unavailable', { code: 14, message: 'away' }, 'unavailable'],
    ['internal', { code: 13, message: 'oops' }, 'unknown'],
    ['a deadline that nobody here set', { code: 4, message: 'late' }, 'transport/deadline-exceeded'],
  ])('N9: %s of an established watch is told as an errored event', async (_name, status, code) => {
    await using server = await FakeServer.start(() => ({ ...established, status }));
    await using client = connectState(server.url, once);
    const watch = await client.watchKind(Blob.kind);
    expect(await last(watch)).toMatchObject({ type: 'errored', error: { code } });
  });

  it('N9: a connection that is cut ends watches with an errored event and calls with unavailable', async () => {
    await using server = await FakeServer.start(({ rpc }) => (rpc === 'Watch' ? established : { messages: [] }));
    await using client = connectState(server.url, once);
    const watch = await client.watchKindAggregated(Blob.kind);
    const pending = watch.next();
    const call = client.get(Blob.at('x')).catch((error: unknown) => error);
    while (server.calls.length < 2) await turn();
    server.cut();
    expect((await pending).value).toMatchObject([{ type: 'errored', error: { code: 'unavailable' } }]);
    expect(await call).toMatchObject({ code: 'unavailable' });
  });

  it('N9: a stream that is reset ends the watch with an errored event', async () => {
    await using server = await FakeServer.start(() => established);
    await using client = connectState(server.url, once);
    for (const code of [constants.NGHTTP2_CANCEL, constants.NGHTTP2_INTERNAL_ERROR, constants.NGHTTP2_NO_ERROR]) {
      const watch = await client.watchKind(Blob.kind);
      server.calls.at(-1)?.stream.close(code);
      expect([code, await last(watch)]).toMatchObject([code, { type: 'errored', error: { code: 'unavailable' } }]);
    }
  });

  it('W1: an end before the first message rejects the call', async () => {
    await using server = await FakeServer.start(() => ({ messages: [], status: { code: 0, message: '' } }));
    await using client = connectState(server.url, once);
    await expect(client.watchKind(Blob.kind)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('W3: the client closes the stream after an errored event, and gives nothing more', async () => {
    const event = [{ eventType: wire.EventType.ERRORED, error: 'broken' }];
    const errored = toBinary(wire.WatchResponseSchema, createMessage(wire.WatchResponseSchema, { event }));
    await using server = await FakeServer.start(() => ({ messages: [new Uint8Array(0), errored, errored] }));
    await using client = connectState(server.url, once);
    const watch = await client.watchKind(Blob.kind);
    expect(await last(watch)).toMatchObject({ type: 'errored', error: { code: 'unknown', message: 'broken' } });
    expect(await server.calls[0]?.closed).toBe(constants.NGHTTP2_CANCEL);
  });

  it('N7: an event that cannot be read ends the watch, and the stream', async () => {
    const event = [{ eventType: wire.EventType.CREATED }];
    const message = toBinary(wire.WatchResponseSchema, createMessage(wire.WatchResponseSchema, { event }));
    await using server = await FakeServer.start(() => ({ messages: [new Uint8Array(0), message] }));
    await using client = connectState(server.url, once);
    const watch = await client.watchKind(Blob.kind);
    expect(await last(watch)).toMatchObject({ type: 'errored', error: { code: 'corrupt' } });
    expect(await server.calls[0]?.closed).toBe(constants.NGHTTP2_CANCEL);
  });

  it('N9: a server that is no server of ours makes calls fail', async () => {
    const silent = net.createServer((socket) => socket.resume().end('220 mail\r\n'));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as net.AddressInfo;
    const client = connectState(`http://127.0.0.1:${port}`);
    await expect(client.get(Blob.at('x'))).rejects.toMatchObject({ code: 'unavailable' });
    await client.close();
    await new Promise((resolve) => silent.close(resolve));
  });
});
