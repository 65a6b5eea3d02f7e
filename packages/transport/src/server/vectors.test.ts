import { toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { fromWireResource, wire } from '@cosi-ts/proto';
import {
  ConflictError,
  InvalidBookmarkError,
  NotFoundError,
  OwnerConflictError,
  PhaseConflictError,
  type Resource,
  UnsupportedError,
} from '@cosi-ts/resource';
import { type CoreState, type Event, type Watch, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { RawClient } from '../testdata/raw-client.js';
import {
  bytesOf,
  comparable,
  comparableEvents,
  read,
  type WireMessage,
  type WireRow,
  wireRows,
} from '../testdata/wire-rows.js';
import { serveState } from './serve-state.js';

/** The recorded requests, answered by this server. */
interface Outcome {
  readonly responses: readonly Uint8Array[];
  readonly code: number | 'open';
}

async function serving(core: CoreState, run: (client: RawClient) => Promise<void>): Promise<void> {
  await using server = await serveState(core, { address: '127.0.0.1:0' });
  await using client = new RawClient(server.url);
  await run(client);
}

/** Runs a call that ends. */
async function answer(client: RawClient, row: WireRow, request = bytesOf(row.request)): Promise<Outcome> {
  const call = client.call(row.rpc, request);
  const responses = await call.all();
  return { responses, code: (await call.status).code };
}

/** Runs a watch until as many messages have come as were recorded, or it has ended. */
async function observe(
  client: RawClient,
  row: WireRow,
  meanwhile: () => Promise<void> = async () => {},
  request = bytesOf(row.request),
): Promise<Outcome> {
  const call = client.call(row.rpc, request);
  const responses: Uint8Array[] = [];
  for (let i = 0; i < Math.max(1, row.responses.length); i++) {
    const message = await call.next();
    if (message === undefined) return { responses, code: (await call.status).code };
    responses.push(message);
    if (i === 0) await meanwhile();
  }
  call.cancel();
  return { responses, code: 'open' };
}

function codeOf(row: WireRow): number | 'open' {
  if (row.status === 'open') return 'open';
  if (typeof row.status === 'string') throw new Error(`row ${row.scenario} ${row.step} has status ${row.status}`);
  return row.status.code;
}

const resourceOf: Readonly<Partial<Record<WireRow['rpc'], (message: Uint8Array) => wire.Resource | undefined>>> = {
  Get: (message) => read(wire.GetResponseSchema, message).resource,
  List: (message) => read(wire.ListResponseSchema, message).resource,
  Create: (message) => read(wire.CreateResponseSchema, message).resource,
  Update: (message) => read(wire.UpdateResponseSchema, message).resource,
};

function shownResponses(row: WireRow, responses: readonly Uint8Array[]): unknown {
  const resource = resourceOf[row.rpc];
  if (resource !== undefined) return responses.map((message) => comparable(resource(message)));
  return responses.map((message) => Buffer.from(message).toString('base64'));
}

function expectSame(row: WireRow, outcome: Outcome, code = codeOf(row)): void {
  expect({ row: row.name, code: outcome.code, responses: shownResponses(row, outcome.responses) }, row.name).toEqual({
    row: row.name,
    code,
    responses: code === codeOf(row) ? shownResponses(row, row.responses.map(bytesOf)) : [],
  });
}

function expectSameEvents(row: WireRow, outcome: Outcome, options: { readonly bookmarks?: boolean } = {}): void {
  const show = (messages: readonly Uint8Array[]) =>
    messages.map((message) => comparableEvents(message, options.bookmarks ?? true));
  expect({ row: row.name, code: outcome.code, events: show(outcome.responses) }, row.name).toEqual({
    row: row.name,
    code: codeOf(row),
    events: show(row.responses.map(bytesOf)),
  });
}

function scenario(name: string): readonly WireRow[] {
  const rows = wireRows.filter((row) => row.scenario === name);
  expect(rows.length).toBeGreaterThan(0);
  return rows;
}

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

describe('recorded unary calls', () => {
  // Another owner that is set already is the caller's mistake here, where the peer says nothing about it.
  const ownCodes = new Map([['create with another owner in the metadata', Code.InvalidArgument]]);

  it('N2: each is answered with the recorded status and resource', async () => {
    await serving(new InMemoryState(), async (client) => {
      for (const row of scenario('unary/default')) {
        expectSame(row, await answer(client, row), ownCodes.get(row.name) ?? codeOf(row));
      }
    });
  });
});

describe('recorded teardowns', () => {
  it('N2: each is answered with the recorded status', async () => {
    const core = new InMemoryState();
    const state = wrapState(core);
    const rows = scenario('teardown/default');
    // What the peer's state held before: the resource that the sixth row sends, and one with an owner and a finalizer.
    const beta = read(wire.UpdateRequestSchema, bytesOf((rows[5] as WireRow).request)).newResource as wire.Resource;
    const made = fromWireResource(beta);
    await core.create(made.withMetadata(made.metadata.with({ version: undefined, phase: 'running' })));
    const alpha = { ...(beta.metadata as wire.Metadata), id: 'alpha', finalizers: ['fin'], phase: 'running' };
    await core.create(fromWireResource({ ...beta, metadata: alpha }), { owner: 'ctrl.A' });

    await serving(core, async (client) => {
      for (const row of rows) {
        const answered = answer(client, row);
        if (row.name === 'teardownAndDestroy that waits for a finalizer') {
          await state.removeFinalizer({ namespace: 'default', type: 'test/str', id: 'alpha' }, 'fin');
        }
        expectSame(row, await answered);
      }
    });
    expect(await core.list({ namespace: 'default', type: 'test/str' })).toEqual([]);
  });
});

describe('recorded malformed requests', () => {
  const ownCodes = new Map<string, number>([
    // Malformed requests have a status of their own here.
    ['create without a resource', Code.InvalidArgument],
    ['create without metadata', Code.InvalidArgument],
    ['create without a spec', Code.InvalidArgument],
    ['create without a version', Code.InvalidArgument],
    ['create with a bad version', Code.InvalidArgument],
    ['create without a phase', Code.InvalidArgument],
    ['create with a bad phase', Code.InvalidArgument],
    // Creating refuses what no backend should have to keep.
    ['create with empty names', Code.InvalidArgument],
    ['create with NUL in the id', Code.InvalidArgument],
  ]);
  const leftOut = new Map([
    ['create with a spec that does not decode', 'specs are decoded by who reads them, never by the server'],
    ['update without options', 'crashes the peer; here it would change what the rows after it expect: see below'],
  ]);
  /** What these list beside the rest was created by rows that are refused here. */
  const refusedHere = new Set(['alpha\0']);

  it('N2: each is answered with the recorded status, or with ours', async () => {
    await serving(new InMemoryState(), async (client) => {
      const rows = scenario('malformed/default');
      for (const row of rows.filter(({ name }) => !leftOut.has(name))) {
        const outcome = await answer(client, row);
        if (row.status === 'crashes the Go server') {
          // A term that compares with nothing matches nothing.
          expect([row.name, outcome]).toEqual([row.name, { code: 0, responses: [] }]);
          continue;
        }
        const recorded = row.responses.filter((message) => {
          const id = row.rpc === 'List' ? read(wire.ListResponseSchema, bytesOf(message)).resource?.metadata?.id : '';
          return !refusedHere.has(id ?? '');
        });
        expectSame({ ...row, responses: recorded }, outcome, ownCodes.get(row.name) ?? codeOf(row));
      }
      const withoutOptions = rows.find(({ name }) => name === 'update without options') as WireRow;
      // Nobody's, in any phase: and the version in the row is an old one by now.
      expect((await answer(client, withoutOptions)).code).toBe(Code.FailedPrecondition);
    });
  });
});

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

describe('recorded errors of the state', () => {
  const pointer = { namespace: 'default', type: 'Strangers.vectors.test', id: 'x' };
  const errors: Readonly<Record<string, () => Error>> = {
    'not-found': () => new NotFoundError(pointer),
    conflict: () => new ConflictError('why', { subject: pointer }),
    'owner-conflict': () => new OwnerConflictError(pointer, 'a', 'b'),
    'phase-conflict': () => new PhaseConflictError(pointer, 'running', 'tearingDown'),
    'invalid-bookmark': () => new InvalidBookmarkError('why'),
    unsupported: () => new UnsupportedError('why'),
    plain: () => new Error('why'),
    'wrapped-not-found': () => new Error('around it', { cause: new NotFoundError(pointer) }),
    'status-permission-denied': () => new ConnectError('no', Code.PermissionDenied),
    'wrapped-status': () => new Error('around it', { cause: new ConnectError('who?', Code.Unauthenticated) }),
    canceled: () => new DOMException('enough', 'AbortError'),
    'wrapped-deadline': () => new Error('around it', { cause: new DOMException('too late', 'TimeoutError') }),
  };
  const leftOut = new Map([
    ['phase-conflict-without-conflict', 'every phase conflict is a conflict here'],
    ['unsupported', 'our table has codes for it: see below'],
  ]);

  const names = [...new Set(wireRows.map((row) => /^state error: (.*)$/.exec(row.scenario)?.[1]))].filter(
    (name): name is string => name !== undefined,
  );

  it('every error of the recording is repeated here or left out by name', () => {
    expect(names.filter((name) => !(name in errors) && !leftOut.has(name))).toEqual([]);
    expect(names).toHaveLength(13);
  });

  it.each(names.filter((name) => !leftOut.has(name)))('N2: %s has the recorded status in every call', async (name) => {
    await serving(failing(errors[name] as () => Error), async (client) => {
      for (const row of scenario(`state error: ${name}`)) {
        expect([row.name, (await answer(client, row)).code]).toEqual([row.name, codeOf(row)]);
      }
    });
  });

  it('N2: unsupported is Unimplemented, but for teardowns, where that says that there is no such call', async () => {
    await serving(
      failing(() => new UnsupportedError('why')),
      async (client) => {
        for (const row of scenario('state error: unsupported')) {
          const code = row.rpc.startsWith('Teardown') ? Code.Unknown : Code.Unimplemented;
          expect([row.name, (await answer(client, row)).code]).toEqual([row.name, code]);
        }
      },
    );
  });
});

/** A state whose every call fails. */
function failing(error: () => Error): CoreState {
  const fail = async () => {
    throw error();
  };
  return {
    get: fail,
    list: fail,
    create: fail,
    update: fail,
    destroy: fail,
    watch: fail,
    watchKind: fail,
    watchKindAggregated: fail,
  };
}
