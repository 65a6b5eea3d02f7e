import { toBinary } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { fromWireResource, wire } from '@cosi-ts/proto';
import type { Resource } from '@cosi-ts/resource';
import type { CoreState, Event, Watch } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { expectSameEvents, observe, scenario, serving } from '../testdata/replay.js';
import { bytesOf, read, type WireMessage, type WireRow } from '../testdata/wire-rows.js';

/** Applies to the state what the events of a recorded watch tell. */
async function repeat(core: CoreState, messages: readonly WireMessage[]): Promise<void> {
  for (const message of messages) {
    for (const event of read(wire.WatchResponseSchema, bytesOf(message)).event) {
      if (event.resource === undefined || event.resource.metadata?.version === 'undefined') continue;
      const resource = fromWireResource(event.resource);
      await apply(core, wire.EventType[event.eventType] as string, resource);
    }
  }
}

async function apply(core: CoreState, type: string, resource: Resource): Promise<void> {
  const { metadata } = resource;
  if (type === 'CREATED') await core.create(resource.withMetadata(metadata.with({ version: undefined })));
  else if (type === 'DESTROYED') await core.destroy(metadata);
  else {
    const version = (metadata.version as bigint) - 1n;
    await core.update(resource.withMetadata(metadata.with({ version })), { expectedPhase: 'any' });
  }
}

describe('recorded watches', () => {
  const ownCodes = new Map([
    ['kind, bootstrap and tail', Code.InvalidArgument],
    ['one resource, bookmark and tail', Code.InvalidArgument],
  ]);
  const leftOut = new Map([
    ['overrun: only the first and the last response are kept here', 'the histories differ: see the test of overruns'],
  ]);
  /** The first event has a bookmark here, which the peer's has not. */
  const single = /^one resource|^id present/;

  it('N2: each is answered with the recorded events', async () => {
    const core = new InMemoryState();
    const rows = scenario('watch/default').filter(({ name }) => !leftOut.has(name));
    const named = (name: string) => rows.find((row) => row.name === name) as WireRow;
    /** What other clients did while the rows were recorded. */
    const meanwhile = new Map([
      [
        'one resource from before it is there until after it is gone',
        'one resource from before it is there until after it is gone',
      ],
      ['kind, live events', 'kind, live events'],
      ['kind, aggregated, live events', 'kind, aggregated, live events'],
      ['kind, label query: update turns into created and destroyed', 'kind, live events'],
    ]);

    await serving(core, async (client) => {
      for (const row of rows) {
        if (row.name === 'kind, bootstrap') await createBackwards(core, row);
        const ownCode = ownCodes.get(row.name);
        if (ownCode !== undefined) {
          expect([row.name, await observe(client, row)]).toEqual([row.name, { code: ownCode, responses: [] }]);
          continue;
        }
        const events = meanwhile.get(row.name);
        const changes = async () => (events === undefined ? undefined : await oneByOne(core, named(events)));
        expectSameEvents(row, await observe(client, row, changes), { bookmarks: !single.test(row.name) });
      }
    });
  });

  /** The resources of a bootstrap, made in the order that the peer's tail shows. */
  async function createBackwards(core: CoreState, row: WireRow): Promise<void> {
    await repeat(core, row.responses.slice(1, -1).toReversed());
  }

  /** Each change on its own, so that an aggregated watch gives it in an array of its own. */
  async function oneByOne(core: CoreState, row: WireRow): Promise<void> {
    for (const message of row.responses.slice(1)) {
      await repeat(core, [message]);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
});

describe('recorded bookmarks', () => {
  const leftOut = new Map([
    ['oldest bookmark that is kept, less one', 'the histories differ'],
    [
      'oldest bookmark that is kept (94 events follow; the first, second and last response are kept here)',
      'the histories differ',
    ],
  ]);
  const ownCodes = new Map([['bookmark and tail', Code.InvalidArgument]]);

  it('N2: each is accepted or refused as recorded, with our bookmarks in the places of the peer’s', async () => {
    const core = new InMemoryState();
    const kind = { namespace: 'default', type: 'test/str' };
    const rows = scenario('bookmarks/default').filter(({ name }) => !leftOut.has(name));
    const fromStart = rows.find(({ name }) => name === 'bookmark before the first event, after five') as WireRow;
    const before = await nextBookmark(await core.watchKind(kind, { bootstrapBookmark: true }));
    /** Ours by the position that the peer's names. */
    const ours = new Map<bigint, Uint8Array>([[-1n, before]]);

    await serving(core, async (client) => {
      for (const row of rows) {
        if (row === fromStart) {
          const watch = await core.watchKind(kind);
          await repeat(core, row.responses);
          for (let position = 0n; position < 5n; position++) ours.set(position, await nextBookmark(watch));
          await watch.close();
        }
        const outcome = await observe(client, row, undefined, withOurs(row, ours));
        const ownCode = ownCodes.get(row.name);
        if (row.name === 'one resource, bookmark before the first event') {
          // A single resource accepts it here: it is as good for one as for all.
          const established = outcome.responses.map((message) => read(wire.WatchResponseSchema, message).event.length);
          expect([row.name, outcome.code, established]).toEqual([row.name, 'open', [0]]);
        } else if (ownCode !== undefined) {
          expect([row.name, outcome]).toEqual([row.name, { code: ownCode, responses: [] }]);
        } else {
          expectSameEvents(row, outcome);
        }
      }
    });
  });

  async function nextBookmark(watch: Watch<Event>): Promise<Uint8Array> {
    return ((await watch.next()).value as { readonly bookmark: Uint8Array }).bookmark;
  }

  /** The request with the bookmark of our state in place of the peer's. What is wrong with it stays wrong. */
  function withOurs(row: WireRow, ours: ReadonlyMap<bigint, Uint8Array>): Uint8Array {
    const request = read(wire.WatchRequestSchema, bytesOf(row.request));
    const options = request.options as wire.WatchOptions;
    const theirs = Buffer.from(options.startFromBookmark ?? []);
    const last = Buffer.from(ours.get(4n) ?? []);
    if (theirs.length === 16 && theirs.toString('latin1', 0, 8) === 'notmine!') {
      options.startFromBookmark = Buffer.concat([theirs.subarray(0, 8), last.subarray(8)]);
    } else if (theirs.length === 16) {
      const position = theirs.readBigInt64BE(8);
      const future = Buffer.from(last);
      if (future.length > 0) future.writeBigInt64BE(future.readBigInt64BE(8) + 1n, 8);
      options.startFromBookmark = ours.get(position) ?? future;
    } else if (theirs.length > 0) {
      options.startFromBookmark = Buffer.concat([last, Buffer.alloc(1)]).subarray(0, theirs.length);
    }
    return toBinary(wire.WatchRequestSchema, request);
  }
});
