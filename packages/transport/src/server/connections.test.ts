import { once } from 'node:events';
import http2 from 'node:http2';
import net from 'node:net';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { wire } from '@cosi-ts/proto';
import { defineResource } from '@cosi-ts/resource';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { batchBytes } from '../limits.js';
import { ManualClock } from '../testdata/manual-clock.js';
import { RawClient } from '../testdata/raw-client.js';
import { recordingLogger } from '../testdata/recording-logger.js';
import { serveState } from './serve-state.js';
import { UnsentBytes } from './unsent-bytes.js';

const Blob = defineResource<{ text: string }>({ type: 'Blobs.test', namespace: 'a' });

describe('connections', () => {
  it('N7: are refused when there are as many as may be, and taken again when there are fewer', async () => {
    const logger = recordingLogger();
    const clock = new ManualClock();
    const options = { address: '127.0.0.1:0', maxConnections: 2, logger, clock, pingIntervalMs: 0 };
    await using server = await serveState(new InMemoryState(), options);
    const connect = () => net.connect(Number(server.address.split(':')[1]), '127.0.0.1');
    const held = [connect(), connect()];
    await Promise.all(held.map((socket) => once(socket, 'connect')));
    for (let refused = 0; refused < 3; refused++) {
      const socket = connect();
      socket.on('error', () => {});
      await once(socket.resume(), 'close');
    }
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { maxConnections: 2 } }]);
    for (const socket of held) socket.destroy();
    for (let answer = ''; !answer.startsWith('HTTP/1.1 404'); answer = await answerOf(connect())) {}
    expect(logger.lines.length).toBe(1);
  });

  it('N7: may have far more than 10 000 streams, or as few as are asked for', async () => {
    const streams = async (options: object) => {
      await using server = await serveState(new InMemoryState(), { address: '127.0.0.1:0', ...options });
      const session = http2.connect(server.url);
      await once(session, 'remoteSettings');
      const { maxConcurrentStreams } = session.remoteSettings;
      session.destroy();
      return maxConcurrentStreams;
    };
    expect(await streams({})).toBeGreaterThanOrEqual(10_000);
    expect(await streams({ maxStreamsPerConnection: 7 })).toBe(7);
  });
});

describe('what a connection has not sent', () => {
  it('N6: makes messages to its watches small from 256 MiB on', () => {
    const unsent = new UnsentBytes();
    const mebibyte = 1024 * 1024;
    const releases = Array.from({ length: 255 }, () => unsent.hold(mebibyte));
    expect(unsent.batchBytes).toBe(batchBytes);
    const last = unsent.hold(mebibyte);
    expect(unsent.batchBytes).toBe(64 * 1024);
    last();
    last();
    expect([unsent.bytes, unsent.batchBytes]).toEqual([255 * mebibyte, batchBytes]);
    for (const release of releases) release();
    expect(unsent.bytes).toBe(0);
  });

  it('N6: is what stalled watches hold, one message each, and calls beside them are answered', async () => {
    const core = new InMemoryState();
    for (let i = 0; i < 4; i++) await core.create(Blob.new(`b${i}`, { text: 'x'.repeat(250_000) }));
    await using server = await serveState(core, { address: '127.0.0.1:0' });
    await using client = new RawClient(server.url);
    // Else what stalls on one stream of a connection stalls on all.
    await once(client.session, 'connect');
    client.session.setLocalWindowSize(2 ** 31 - 1);
    const request = create(wire.WatchRequestSchema, {
      namespace: 'a',
      type: Blob.type,
      apiVersion: 1,
      options: { aggregated: true, bootstrapContents: true },
    });
    const stalled = Array.from({ length: 14 }, () => {
      const call = client.call('Watch', toBinary(wire.WatchRequestSchema, request));
      call.stream.pause();
      return call;
    });
    const get = create(wire.GetRequestSchema, { namespace: 'a', type: Blob.type, id: 'none' });
    expect((await client.call('Get', toBinary(wire.GetRequestSchema, get)).status).code).toBe(5);
    for (const call of stalled) {
      call.stream.resume();
      let events = 0;
      while (events < 5) events += fromBinary(wire.WatchResponseSchema, (await call.next()) as Uint8Array).event.length;
      expect(events).toBe(5);
      call.cancel();
    }
  });
});

/** What a connection answers to a request, empty when it is refused. */
async function answerOf(socket: net.Socket): Promise<string> {
  let answer = '';
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    answer += String(chunk);
  });
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  await once(socket, 'close');
  return answer;
}
