import type { ClientHttp2Stream } from 'node:http2';
import { defineResource } from '@cosi-ts/resource';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { serveState } from '../../server/serve-state.js';
import { ManualClock } from '../../testdata/manual-clock.js';
import { connectState } from '../connect-state.js';
import { defaultConnectStateOptions } from '../options.js';
import { Connections } from './connections.js';
import { parseServerUrl } from './server-address.js';

const Thing = defineResource({ type: 'Things.test', namespace: 'a' });

const headers = {
  ':method': 'POST',
  ':path': '/cosi.resource.State/Watch',
  'content-type': 'application/grpc',
  te: 'trailers',
};

const limits = { burst: 10, perSecond: 3 };

/** Opens streams that stay open, through the pool. */
async function serving(
  run: (
    pool: Connections,
    open: () => Promise<() => Promise<void>>,
    clock: ManualClock,
    cut: () => Promise<void>,
  ) => Promise<void>,
): Promise<void> {
  await using server = await serveState(new InMemoryState(), { address: '127.0.0.1:0' });
  const clock = new ManualClock();
  const { keepalive, connectTimeoutMs } = defaultConnectStateOptions;
  const options = { tls: {}, keepalive, connectTimeoutMs, clock };
  const pool = new Connections(parseServerUrl(server.url), options, limits);
  const streams = new Set<ClientHttp2Stream>();
  const open = async () => {
    const { http2: stream } = await pool.next().open(headers);
    streams.add(stream);
    stream.once('close', () => streams.delete(stream));
    return () => new Promise<void>((resolve) => stream.close(8, resolve));
  };
  const cut = async () => {
    const closed = [...streams].map((stream) => new Promise((resolve) => stream.once('close', resolve)));
    [...streams][0]?.session?.destroy(new Error('cut'));
    await Promise.all(closed);
  };
  await run(pool, open, clock, cut);
  pool.close();
}

describe('Connections', () => {
  it('N7: as many streams share a connection as it could cancel at once', async () => {
    await serving(async (pool, open) => {
      const streams = [];
      for (let i = 0; i < 10; i++) streams.push(await open());
      expect(pool.size).toBe(1);
      const another = await open();
      expect(pool.size).toBe(2);
      await another();
      expect(pool.size).toBe(1);
      await Promise.all(streams.map((close) => close()));
      expect(pool.size).toBe(1);
    });
  });

  it('N7: a connection that has cancelled many is given time', async () => {
    await serving(async (pool, open, clock) => {
      for (let i = 0; i < 10; i++) await (await open())();
      const kept = await open();
      expect(pool.size).toBe(2);
      clock.advance(1000);
      for (let i = 0; i < 3; i++) await (await open())();
      expect(pool.size).toBe(1);
      await kept();
    });
  });

  it('N7: streams that end with their connection are not held against the next one', async () => {
    await serving(async (pool, open, _clock, cut) => {
      for (let round = 0; round < 5; round++) {
        for (let i = 0; i < 10; i++) await open();
        expect(pool.size).toBe(1);
        await cut();
      }
    });
  });

  it('N7: more watches are cancelled than a connection survives, and calls go on', async () => {
    const core = new InMemoryState();
    await core.create(Thing.new('x', {}));
    await using server = await serveState(core, { address: '127.0.0.1:0' });
    await using client = connectState(server.url);
    const lasting = await client.watchKind(Thing.kind);
    for (let round = 0; round < 12; round++) {
      const watches = await Promise.all(Array.from({ length: 100 }, () => client.watchKind(Thing.kind)));
      await Promise.all(watches.map((watch) => watch.close()));
    }
    await core.destroy(Thing.at('x'));
    expect(await lasting.next()).toMatchObject({ value: { type: 'destroyed' } });
    expect(await client.list(Thing.kind)).toEqual([]);
  }, 30_000);
});
