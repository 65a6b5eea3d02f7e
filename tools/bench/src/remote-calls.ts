import http2 from 'node:http2';
import { createGrpcTransport } from '@connectrpc/connect-node';
import type { CoreState } from '@cosi-ts/state';
import { connectState } from '@cosi-ts/transport';
import { http2Echo, libraryEcho, libraryStream } from './floor.js';
import type { Peer } from './peer.js';
import { measure, type Rate } from './rate.js';
import { serveOurs, servePeer } from './remote-servers.js';
import type { Against, Row } from './report.js';
import { Machine, machine } from './subject.js';

type Operation = 'get' | 'update';

/** About what a resource has when it is encoded as it is sent, with its YAML. */
const messageBytes = 560;

async function ofOurs(address: string, callers: number, seconds: number): Promise<Record<Operation, Rate>> {
  const client = connectState(`http://${address}`);
  try {
    const get = await measure(callers, seconds, (_n, caller) => client.get(Machine.at(`machine-${caller}`)));
    const mine = await Promise.all(
      Array.from({ length: callers }, (_, caller) => client.get(Machine.at(`machine-${caller}`))),
    );
    const update = await measure(callers, seconds, async (n, caller) => {
      const { metadata } = mine[caller] as (typeof mine)[number];
      mine[caller] = await client.update(machine(metadata.id, n).withMetadata(metadata));
    });
    return { get, update };
  } finally {
    await client.close();
  }
}

async function ofLibrary(address: string, callers: number, seconds: number): Promise<Rate> {
  const transport = createGrpcTransport({ baseUrl: `http://${address}` });
  const bytes = new Uint8Array(messageBytes);
  return measure(callers, seconds, () => libraryEcho(transport, bytes));
}

async function ofHttp2(address: string, callers: number, seconds: number): Promise<Rate> {
  const session = http2.connect(`http://${address}`);
  const bytes = new Uint8Array(messageBytes);
  try {
    return await measure(callers, seconds, () => http2Echo(session, bytes));
  } finally {
    session.close();
  }
}

/** B7: single calls, by so many callers at a time on one connection. */
export async function remoteCalls(seconds: number, peer: Peer | undefined, report: (row: Row) => void): Promise<void> {
  for (const callers of [1, 16, 128]) {
    await using state = await serveOurs('state');
    await using library = await serveOurs('library');
    await using bare = await serveOurs('http2');
    await state.process.ask(`fill ${callers}`);
    const floors: Against[] = [];
    const add = (name: string, { perSecond }: Rate) => floors.push({ name, value: perSecond });
    add('the RPC library’s echo', await ofLibrary(library.address, callers, seconds));
    const ours = await ofOurs(state.address, callers, seconds);
    add('an echo on HTTP/2 alone', await ofHttp2(bare.address, callers, seconds));
    const theirs = peer && (await ofPeer(peer, callers, seconds));
    for (const operation of ['get', 'update'] as const) {
      const size = `${callers} caller${callers > 1 ? 's' : ''}`;
      const goRate = theirs === undefined ? [] : [{ name: 'Go', value: theirs[operation].perSecond }];
      const { perSecond, medianMs } = ours[operation];
      report({ id: 'B7', what: operation, size, value: perSecond, unit: '/s', against: [...floors, ...goRate] });
      const goLatency = theirs === undefined ? [] : [{ name: 'Go', value: theirs[operation].medianMs }];
      const what = `median latency of ${operation}`;
      report({ id: 'B7', what, size, value: medianMs, unit: 'ms', against: goLatency });
    }
  }
}

async function ofPeer(peer: Peer, callers: number, seconds: number): Promise<Record<Operation, Rate>> {
  await using server = await servePeer(peer.program);
  await server.process.ask(`fill ${callers}`);
  return await peer.run('calls', server.address, String(callers), String(seconds));
}

/** B7: a large list, the best of three: the first one encodes what nobody has asked for before. */
export async function remoteList(resources: number, peer: Peer | undefined, report: (row: Row) => void): Promise<void> {
  await using state = await serveOurs('state');
  await using library = await serveOurs('library');
  await state.process.ask(`fill ${resources}`);
  const client = connectState(`http://${state.address}`);
  const first = await perSecond(resources, () => listed(client, resources));
  const rates = [first];
  for (let run = 0; run < 2; run++) rates.push(await perSecond(resources, () => listed(client, resources)));
  await client.close();
  const transport = createGrpcTransport({ baseUrl: `http://${library.address}` });
  const floor = await perSecond(resources, () => libraryStream(transport, resources, messageBytes));
  const against: Against[] = [{ name: 'the RPC library’s stream', value: floor }];
  if (peer !== undefined) {
    await using server = await servePeer(peer.program);
    await server.process.ask(`fill ${resources}`);
    against.push({ name: 'Go', value: (await peer.run<{ perSecond: number }>('list', server.address)).perSecond });
  }
  const size = `${resources.toLocaleString('en')} resources`;
  report({ id: 'B7', what: 'list', size, value: Math.max(...rates), unit: 'resources/s', against });
  report({ id: 'B7', what: 'the first list of them', size, value: first, unit: 'resources/s', against });
}

async function listed(client: CoreState, resources: number): Promise<void> {
  const { length } = await client.list(Machine.kind);
  if (length !== resources) throw new Error(`${length} of ${resources} resources were listed`);
}

async function perSecond(count: number, work: () => Promise<void>): Promise<number> {
  const begin = performance.now();
  await work();
  return count / ((performance.now() - begin) / 1000);
}
