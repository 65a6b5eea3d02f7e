import { type Client, createClient } from '@connectrpc/connect';
import { wire } from '@cosi-ts/proto';
import { defineResource } from '@cosi-ts/resource';
import { InMemoryState } from '@cosi-ts/state-inmem';
import type { Attributes, Meter } from '@opentelemetry/api';
import { afterEach, describe, expect, it } from 'vitest';
import { ObservedCore } from '../testdata/observed-core.js';
import { protocolEntries, protocols } from '../testdata/protocols.js';
import { recordingLogger } from '../testdata/recording-logger.js';
import { bearerTokens } from './bearer-tokens.js';
import { type StateServer, serveState } from './serve-state.js';

const Disk = defineResource<{ size: number }>({ type: 'Disks.test', namespace: 'a' });
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function connect(server: StateServer, protocol = protocols['gRPC over HTTP/2'], headers = {}) {
  return createClient(wire.State, protocol({ url: server.url, headers }));
}

/** Watches until there is an event, and goes. */
async function watchOnce(client: Client<typeof wire.State>, onEvent: () => void = () => {}): Promise<void> {
  const stop = new AbortController();
  const messages = client.watch({ ...Disk.kind, options: { bootstrapContents: true } }, { signal: stop.signal });
  const taken = (async () => {
    for await (const { event } of messages) {
      if (event.length === 0) continue;
      onEvent();
      stop.abort();
    }
  })();
  await taken.catch(() => {});
}

/** A meter that keeps what it is told. */
function recordingMeter() {
  const made: { name: string; value: number; attributes: Attributes }[] = [];
  const instrument = (name: string) => {
    const note = (value: number, attributes: Attributes = {}) => void made.push({ name, value, attributes });
    return { add: note, record: note };
  };
  const meter = { createCounter: instrument, createUpDownCounter: instrument, createHistogram: instrument };
  const of = (name: string) => made.filter((each) => each.name === name);
  return { meter: meter as unknown as Meter, of };
}

describe('logs and meters that throw', () => {
  const fault = () => {
    throw new Error('the disk is full');
  };
  const meters = () => ({ add: fault, record: fault });
  const broken = {
    accessLog: { info: fault },
    meter: { createCounter: meters, createUpDownCounter: meters, createHistogram: meters } as unknown as Meter,
  };

  it.each(protocolEntries)('%s: change nothing in calls, and are told of', async (_name, protocol) => {
    const logger = recordingLogger();
    await using server = await serveState(new InMemoryState(), { address: '127.0.0.1:0', ...broken, logger });
    for await (const resource of connect(server, protocol).list({ ...Disk.kind })) expect(resource).toBeUndefined();
    await logger.written(3);
    expect(logger.lines.slice(0, 3).map(({ fields }) => fields)).toMatchObject(
      Array.from({ length: 3 }, () => ({ rpc: 'cosi.resource.State/List', err: { message: 'the disk is full' } })),
    );
  });

  it('refuse nobody, and let nobody in', async () => {
    const logger = { warn: fault, error: fault };
    await using server = await serveState(new InMemoryState(), {
      address: '127.0.0.1:0',
      ...broken,
      logger,
      authenticate: () => fault(),
    });
    await expect(connect(server).get({ ...Disk.kind, id: 'x' })).rejects.toMatchObject({ code: 16 });
  });
});

describe('the access log', () => {
  it.each(protocolEntries)('%s: has one line for each call', async (_name, protocol) => {
    const accessLog = recordingLogger();
    const core = new ObservedCore(new InMemoryState());
    const server = await serveState(core, {
      address: '127.0.0.1:0',
      accessLog,
      authenticate: bearerTokens({ secret: 'alice' }),
    });
    closing.push(() => server.close());
    const client = connect(server, protocol, { authorization: 'Bearer secret' });
    for (const id of ['x', 'y', 'z']) await core.create(Disk.new(id, { size: 1 }));
    await client.destroy(Disk.at('x'));
    await client.get(Disk.at('none')).catch(() => {});
    for await (const _resource of client.list(Disk.kind));
    await accessLog.written(3);
    await watchOnce(client);
    await accessLog.written(4);
    await watchOnce(connect(server, protocol));
    await accessLog.written(5);
    const common = { identity: 'alice', peer: expect.stringMatching(/^127\.0\.0\.1:/), durationMs: expect.any(Number) };
    const pointer = { namespace: 'a', type: 'Disks.test', id: 'x' };
    const kind = { namespace: 'a', type: 'Disks.test' };
    const rpc = (name: string) => `cosi.resource.State/${name}`;
    const lines = accessLog.lines.map(({ fields }) => fields);
    expect(lines[0]).toMatchObject({ ...common, rpc: rpc('Destroy'), ...pointer, status: 'OK', messages: 1 });
    expect(lines[1]).toMatchObject({
      ...common,
      rpc: rpc('Get'),
      ...pointer,
      id: 'none',
      status: 'NotFound',
      messages: 0,
    });
    expect(lines[2]).toMatchObject({ ...common, rpc: rpc('List'), ...kind, status: 'OK', messages: 2 });
    expect(lines[2]).not.toHaveProperty('id');
    expect(lines[3]).toMatchObject({ ...common, rpc: rpc('Watch'), ...kind, status: 'Canceled' });
    const refused = lines[4];
    expect(refused).toMatchObject({ rpc: rpc('Watch'), status: 'Unauthenticated', peer: common.peer, messages: 0 });
    expect(refused).not.toHaveProperty('identity');
  });

  it.each(protocolEntries)('%s: has the calls of the other services, too', async (name, protocol) => {
    const accessLog = recordingLogger();
    const server = await serveState(new InMemoryState(), { address: '127.0.0.1:0', accessLog });
    closing.push(() => server.close());
    const health = createClient(wire.Health, protocol({ url: server.url }));
    await health.check({});
    await health.check({ service: 'none' }).catch(() => {});
    const reflected = async () => {
      const requests = (async function* () {
        yield { messageRequest: { case: 'listServices' as const, value: '' } };
      })();
      const { serverReflectionInfo } = createClient(wire.ServerReflection, protocol({ url: server.url }));
      for await (const _answer of serverReflectionInfo(requests));
    };
    if (name.startsWith('gRPC over')) await reflected();
    const rpc = 'grpc.health.v1.Health/Check';
    const expected = [
      { rpc, status: 'OK', messages: 1 },
      { rpc, status: 'NotFound', messages: 0 },
      { rpc: 'grpc.reflection.v1.ServerReflection/ServerReflectionInfo', status: 'OK', messages: 1 },
    ].slice(0, name.startsWith('gRPC over') ? 3 : 2);
    await accessLog.written(expected.length);
    expect(accessLog.lines.map(({ fields }) => fields)).toMatchObject(expected);
  });

  it('N7: names in it are shortened, and calls that never reach the state have lines, too', async () => {
    const accessLog = recordingLogger();
    const server = await serveState(new InMemoryState(), { address: '127.0.0.1:0', accessLog });
    closing.push(() => server.close());
    await connect(server)
      .get(Disk.at('🙂'.repeat(500)))
      .catch(() => {});
    const post = (body: string, type: string) =>
      fetch(`${server.url}/cosi.resource.State/Get`, { method: 'POST', headers: { 'content-type': type }, body });
    await post('{', 'application/json');
    await post('', 'text/plain');
    await fetch(`${server.url}/nothing`);
    await accessLog.written(3);
    const [long, malformed, foreign] = accessLog.lines.map(({ fields }) => fields as { id?: string; status: string });
    expect(long?.id).toBe(`${'🙂'.repeat(64)}…`);
    expect(malformed?.status).toBe('HTTP 400');
    expect(foreign?.status).toBe('HTTP 415');
    expect(accessLog.lines).toHaveLength(3);
  });
});

describe('metrics', () => {
  it('count calls by what they are and how they ended', async () => {
    const { meter, of } = recordingMeter();
    const core = new ObservedCore(new InMemoryState());
    const server = await serveState(core, { address: '127.0.0.1:0', meter });
    closing.push(() => server.close());
    const client = connect(server);
    for (const id of ['x', 'y']) await core.create(Disk.new(id, { size: 1 }));
    await client.destroy(Disk.at('x'));
    await client.get(Disk.at('none')).catch(() => {});
    const active = () => of('cosi.server.active_calls').reduce((sum, { value }) => sum + value, 0);
    const whileWatching: number[] = [];
    await watchOnce(client, () => whileWatching.push(active()));
    expect(whileWatching[0]).toBe(1);
    while (active() > 0) await new Promise((resolve) => setImmediate(resolve));
    const rpc = (name: string) => `cosi.resource.State/${name}`;
    const calls = [
      { rpc: rpc('Destroy'), status: 'OK' },
      { rpc: rpc('Get'), status: 'NotFound' },
      { rpc: rpc('Watch'), status: 'Canceled' },
    ];
    expect(of('cosi.server.calls').map(({ attributes }) => attributes)).toEqual(calls);
    const durations = of('cosi.server.call.duration');
    expect(durations.map(({ attributes }) => attributes)).toEqual(calls);
    expect(durations.every(({ value }) => value > 0 && value < 60)).toBe(true);
    const messages = of('cosi.server.messages').map(({ value, attributes }) => [attributes.rpc, value]);
    expect(messages).toEqual([
      [rpc('Destroy'), 1],
      [rpc('Watch'), expect.any(Number)],
    ]);
    for (const direction of ['received', 'sent']) {
      const bytes = of('cosi.server.bytes').filter(({ attributes }) => attributes.direction === direction);
      expect(bytes.length).toBeGreaterThanOrEqual(2);
      expect(bytes.every(({ value }) => value > 0)).toBe(true);
    }
  });
});
