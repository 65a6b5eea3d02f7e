import { createGrpcTransport } from '@connectrpc/connect-node';
import type { CoreState, Event, Watch } from '@cosi-ts/state';
import { connectState } from '@cosi-ts/transport';
import { updatedMachines } from './burst.js';
import { libraryStream } from './floor.js';
import { LineProcess } from './line-process.js';
import { liveBytes } from './memory.js';
import type { Peer } from './peer.js';
import { serveOurs, servePeer } from './remote-servers.js';
import type { Against, Row } from './report.js';
import { Machine } from './subject.js';

export type Shape = 'single' | 'aggregated';

/** About what an updated event has when it is encoded: two resources with their YAML. */
const eventBytes = 1150;

/** Opens watches. Gives a promise for that each has got so many events, and what closes them. */
async function watchAll(state: CoreState, watchers: number, events: number, shape: Shape) {
  const open: Watch<unknown>[] = [];
  const done: Promise<void>[] = [];
  for (let i = 0; i < watchers; i++) {
    if (shape === 'aggregated') {
      const watch = await state.watchKindAggregated(Machine.kind);
      open.push(watch);
      done.push(take(watch, events, ({ length }) => length));
    } else {
      const watch = await state.watchKind(Machine.kind);
      open.push(watch);
      done.push(take(watch, events, () => 1));
    }
  }
  const close = async () => {
    for (const watch of open) await watch.close();
  };
  return { done: Promise.all(done), close };
}

async function take<T extends Event | readonly Event[]>(watch: Watch<T>, events: number, count: (item: T) => number) {
  let seen = 0;
  for await (const item of watch) {
    for (const event of [item].flat()) if ((event as Event).type === 'errored') throw (event as { error: Error }).error;
    seen += count(item);
    if (seen >= events) return;
  }
  throw new Error(`a watch ended after ${seen} of ${events} events`);
}

async function ofOurs(watchers: number, events: number, shape: Shape): Promise<number> {
  await using server = await serveOurs('state');
  await server.process.ask(`fill ${updatedMachines}`);
  const client = connectState(`http://${server.address}`);
  const watches = await watchAll(client, watchers, events, shape);
  const begin = performance.now();
  server.process.tell(`burst ${events}`);
  await watches.done;
  const took = performance.now() - begin;
  await client.close();
  return (watchers * events) / (took / 1000);
}

async function ofPeer(peer: Peer, watchers: number, events: number, shape: Shape): Promise<number> {
  await using server = await servePeer(peer.program);
  await server.process.ask(`fill ${updatedMachines}`);
  await using watching = new LineProcess(peer.program, ['watch', server.address, `${watchers}`, `${events}`, shape]);
  await watching.line();
  watching.tell('go');
  server.process.tell(`burst ${events}`);
  return (JSON.parse(await watching.line()) as { perSecond: number }).perSecond;
}

async function ofLibrary(events: number): Promise<number> {
  await using server = await serveOurs('library');
  const transport = createGrpcTransport({ baseUrl: `http://${server.address}` });
  const begin = performance.now();
  await libraryStream(transport, events, eventBytes);
  return events / ((performance.now() - begin) / 1000);
}

/** B7: what watches get while one writer writes as fast as it can. */
export async function remoteWatches(
  events: Readonly<Record<1 | 100, number>>,
  peer: Peer | undefined,
  report: (row: Row) => void,
): Promise<void> {
  for (const watchers of [1, 100] as const) {
    const count = events[watchers];
    for (const shape of ['single', 'aggregated'] as const) {
      const against: Against[] = [];
      if (watchers === 1) against.push({ name: 'the RPC library’s stream', value: await ofLibrary(count) });
      const value = await ofOurs(watchers, count, shape);
      if (peer !== undefined) against.push({ name: 'Go', value: await ofPeer(peer, watchers, count, shape) });
      const what = `events of a watch of a kind, ${shape === 'single' ? 'one by one' : 'aggregated'}`;
      const size = `${watchers} watcher${watchers > 1 ? 's' : ''}, ${count.toLocaleString('en')} updates`;
      report({ id: 'B7', what, size, value, unit: 'deliveries/s', against });
    }
  }
}

interface ServerMemory {
  readonly liveBytes: number;
  readonly maxResidentBytes: number;
}

/** B3, B7: many watchers of one kind over the wire. Time, and what a watcher takes while nothing happens. */
export async function manyRemoteWatchers(watchers: number, events: number, report: (row: Row) => void): Promise<void> {
  await using server = await serveOurs('state');
  await server.process.ask(`fill ${updatedMachines}`);
  const client = connectState(`http://${server.address}`);
  const serverMemory = async () => JSON.parse(await server.process.ask('memory')) as ServerMemory;
  // The first one opens the connection.
  const first = await watchAll(client, 1, events, 'aggregated');
  const before = { server: await serverMemory(), client: liveBytes() };
  const others = await watchAll(client, watchers - 1, events, 'aggregated');
  const idle = { server: await serverMemory(), client: liveBytes() };
  const begin = performance.now();
  server.process.tell(`burst ${events}`);
  await Promise.all([first.done, others.done]);
  const seconds = (performance.now() - begin) / 1000;
  if ((await server.process.line()) !== 'done') throw new Error('the server did not write what it was to write');
  const { maxResidentBytes } = await serverMemory();
  await client.close();
  const size = `${watchers.toLocaleString('en')} watchers, ${events.toLocaleString('en')} updates`;
  const add = (what: string, value: number, unit: string) => report({ id: 'B7', what, size, value, unit });
  const each = (a: number, b: number) => (b - a) / (watchers - 1) / 1024;
  add('every update to every watcher: time', seconds, 's');
  add('every update to every watcher', (watchers * events) / seconds, 'deliveries/s');
  add('live memory of an idle watcher, server', each(before.server.liveBytes, idle.server.liveBytes), 'KiB');
  add('live memory of an idle watcher, client', each(before.client, idle.client), 'KiB');
  add('resident memory at most, server', maxResidentBytes / 1024 / 1024, 'MiB');
}
