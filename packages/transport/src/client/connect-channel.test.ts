import { createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { defineResource, isNotFound } from '@cosi-ts/resource';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { expect, it } from 'vitest';
import { serveState } from '../server/serve-state.js';
import { connectChannel } from './connect-channel.js';
import { resolveConnectStateOptions } from './options.js';
import { remoteState } from './remote-state.js';

const Disk = defineResource<{ size: number }>({ type: 'Disks.test', namespace: 'a' });

it.each([
  ['gRPC-Web in protobuf', true, (baseUrl: string) => createGrpcWebTransport({ baseUrl, httpVersion: '2' })],
  ['Connect in protobuf', true, (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: '1.1' })],
  [
    'Connect in JSON',
    false,
    (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: false }),
  ],
])(
  'N3: %s carries calls and watches, whether messages are decoded on the way or not',
  async (_name, isBinary, transport) => {
    await using server = await serveState(new InMemoryState(), { address: '127.0.0.1:0' });
    const channel = connectChannel(transport(server.url), isBinary);
    await using client = remoteState(channel, resolveConnectStateOptions(), () => {});
    const watch = await client.watchKindAggregated(Disk.kind, { bootstrapContents: true });
    expect((await watch.next()).value?.map(({ type }) => type)).toEqual(['bootstrapped']);
    const made = await client.create(Disk.new('größer', { size: 1 }, { labels: { tier: 'web' } }));
    expect(Disk.from(made).spec.size).toBe(1);
    const [created] = (await watch.next()).value ?? [];
    expect(created?.type === 'created' && created.resource.equals(made)).toBe(true);
    expect((await client.list(Disk.kind)).map(({ metadata }) => metadata.id)).toEqual(['größer']);
    expect(await client.teardown(made.metadata)).toBe(true);
    await client.destroy(made.metadata);
    expect(isNotFound(await client.get(made.metadata).catch((error: unknown) => error))).toBe(true);
    await watch.close();
  },
);
