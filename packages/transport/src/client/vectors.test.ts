import { constants } from 'node:http2';
import { type DescMessage, fromBinary, toBinary, toJson } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { fromWireLabelQueries, fromWireResource, toWireResource, wire } from '@cosi-ts/proto';
import { type CosiError, defineResource, type ErrorCode, type Phase, type Resource } from '@cosi-ts/resource';
import type { Event, Watch } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import { type FakeAnswer, type FakeCall, FakeServer } from '../testdata/fake-server.js';
import { bytesOf, read, type WireRow, wireRows } from '../testdata/wire-rows.js';
import { connectState } from './connect-state.js';
import type { RemoteState } from './remote-state.js';

const requestSchemas = {
  Get: wire.GetRequestSchema,
  List: wire.ListRequestSchema,
  Create: wire.CreateRequestSchema,
  Update: wire.UpdateRequestSchema,
  Destroy: wire.DestroyRequestSchema,
  Watch: wire.WatchRequestSchema,
  Teardown: wire.TeardownRequestSchema,
  TeardownAndDestroy: wire.TeardownAndDestroyRequestSchema,
} as const satisfies Record<WireRow['rpc'], DescMessage>;

const Thing = defineResource({ type: 'Strangers.vectors.test', namespace: 'default' });

/** Rows that say nothing about a client, by name. */
const leftOut = new Map([
  ['api version 0, aggregated bootstrap', 'this client sends version 1, and waits for the end of the bootstrap'],
  ['update without options', 'crashes the peer: there is no answer'],
  ...[1, 4, 5, 6, 7].map(
    (operation) =>
      [`label term without values, operation ${operation}`, 'crashes the peer: there is no answer'] as const,
  ),
]);
const rows = wireRows.filter(({ name }) => !leftOut.has(name));

/** What a status means, by the table: from a peer that sends no details. */
function errorCode(row: WireRow, code: Code): ErrorCode {
  const isRead = row.rpc === 'Get' || row.rpc === 'List' || row.rpc === 'Watch';
  const byCall: Readonly<Partial<Record<Code, ErrorCode>>> = {
    [Code.NotFound]: 'not-found',
    [Code.AlreadyExists]: 'already-exists',
    [Code.PermissionDenied]: isRead ? 'denied' : 'owner-conflict',
    [Code.InvalidArgument]: row.rpc === 'Update' ? 'phase-conflict' : 'invalid-argument',
    [Code.FailedPrecondition]:
      row.rpc === 'Update' ? 'version-conflict' : row.rpc === 'Watch' ? 'invalid-bookmark' : 'conflict',
    [Code.Unimplemented]: 'unsupported',
    [Code.Unauthenticated]: 'unauthenticated',
    [Code.DeadlineExceeded]: 'transport/deadline-exceeded',
  };
  return byCall[code] ?? 'unknown';
}

function answerOf(row: WireRow): FakeAnswer {
  const status = typeof row.status === 'string' ? undefined : row.status;
  return { messages: row.responses.map(bytesOf), status };
}

/** Makes the call that the row's request asks for. A resource that no client of ours could send is replaced. */
async function make(client: RemoteState, row: WireRow): Promise<unknown> {
  const bytes = bytesOf(row.request);
  switch (row.rpc) {
    case 'Get':
      return client.get(read(wire.GetRequestSchema, bytes));
    case 'List': {
      const request = read(wire.ListRequestSchema, bytes);
      return client.list(request, queryOf(request.options));
    }
    case 'Create': {
      const request = read(wire.CreateRequestSchema, bytes);
      return client.create(sendable(request.resource), { owner: request.options?.owner });
    }
    case 'Update': {
      const request = read(wire.UpdateRequestSchema, bytes);
      const { owner, expectedPhase = 'any' } = request.options ?? {};
      return client.update(sendable(request.newResource), { owner, expectedPhase: expectedPhase as Phase | 'any' });
    }
    case 'Destroy': {
      const request = read(wire.DestroyRequestSchema, bytes);
      return client.destroy(request, { owner: request.options?.owner });
    }
    case 'Teardown': {
      const request = read(wire.TeardownRequestSchema, bytes);
      return client.teardown(request, { owner: request.options?.owner });
    }
    case 'TeardownAndDestroy': {
      const request = read(wire.TeardownAndDestroyRequestSchema, bytes);
      return client.teardownAndDestroy(request, { owner: request.options?.owner });
    }
    case 'Watch':
      return watch(client, read(wire.WatchRequestSchema, bytes));
  }
}

function watch(client: RemoteState, request: wire.WatchRequest): Promise<Watch<Event> | Watch<readonly Event[]>> {
  const { namespace, type, id, options } = request;
  const start = { tailEvents: options?.tailEvents, startFromBookmark: options?.startFromBookmark };
  if (id !== undefined) return client.watch({ namespace, type, id }, start);
  const { bootstrapContents, bootstrapBookmark } = options ?? {};
  const kindOptions = { ...start, ...queryOf(options), bootstrapContents, bootstrapBookmark };
  if (options?.aggregated === true) return client.watchKindAggregated({ namespace, type }, kindOptions);
  return client.watchKind({ namespace, type }, kindOptions);
}

/** Operations that no client of ours knows are left out. */
function queryOf(options: wire.ListOptions | wire.WatchOptions | undefined) {
  const known = (options?.labelQuery ?? []).filter(({ terms }) => terms.every(({ op }) => op <= 7));
  return { labels: fromWireLabelQueries(known), id: options?.idQuery?.regexp };
}

function sendable(message: wire.Resource | undefined): Resource {
  try {
    return fromWireResource(message as wire.Resource);
  } catch {
    return Thing.new('x', {});
  }
}

function sentResource(resource: Resource): unknown {
  return toJson(wire.ResourceSchema, toWireResource(resource));
}

/** Runs the rows one after another: each call of the client is answered as the row says. */
async function feed(
  rows: readonly WireRow[],
  check: (row: WireRow, client: RemoteState, lastCall: () => FakeCall) => Promise<void>,
): Promise<void> {
  expect(rows.length).toBeGreaterThan(0);
  let answer: FakeAnswer = { messages: [] };
  await using server = await FakeServer.start(() => answer);
  await using client = connectState(server.url, { resume: false });
  for (const row of rows) {
    answer = answerOf(row);
    await check(row, client, () => server.calls.at(-1) as FakeCall);
  }
}

const titleOf = (row: WireRow) => `${row.scenario} ${row.step} ${row.rpc}: ${row.name}`;
const codeOf = (row: WireRow): number => (row.status as { readonly code: number }).code;
const scenarios = [...new Set(rows.map(({ scenario }) => scenario))];
const ofScenario = (name: string) => rows.filter(({ scenario }) => scenario === name);

const refused = rows.filter((row) => typeof row.status !== 'string' && codeOf(row) !== 0);
const answered = rows.filter((row) => typeof row.status !== 'string' && codeOf(row) === 0);
const open = rows.filter((row) => row.status === 'open');

describe('the recorded answers, given to the client', () => {
  it('every row is used that is not left out by name', () => {
    expect(wireRows).toHaveLength(328);
    expect(refused.length + answered.length + open.length).toBe(320);
    expect([...leftOut.keys()].filter((name) => !wireRows.some((row) => row.name === name))).toEqual([]);
  });

  it('N2: a status is the error that the table says', async () => {
    await feed(refused, async (row, client) => {
      const error = (await make(client, row).catch((error: unknown) => error)) as CosiError;
      const { message } = row.status as { readonly message: string };
      expect({ row: titleOf(row), code: error.code, message: error.message, type: error.subject?.type }).toEqual({
        row: titleOf(row),
        code: errorCode(row, codeOf(row)),
        message,
        type: subjectType(row),
      });
    });
  });

  it('N2: resources come as they were sent', async () => {
    await feed(answered, async (row, client) => {
      const result = await make(client, row);
      expect([titleOf(row), resultOf(row, result)]).toEqual([titleOf(row), recordedResult(row)]);
    });
  });

  it('N2: events come as they were sent, and a watch that is closed closes its stream', async () => {
    await feed(open, async (row, client, lastCall) => {
      const recorded = row.responses
        .flatMap((response) => read(wire.WatchResponseSchema, bytesOf(response)).event)
        .map((event) => toJson(wire.EventSchema, event));
      const events = (await make(client, row)) as Watch<Event | readonly Event[]>;
      const got: Event[] = [];
      while (got.length < recorded.length) {
        const { value } = (await events.next()) as { value: Event | readonly Event[] };
        got.push(...(Array.isArray(value) ? (value as readonly Event[]) : [value as Event]));
      }
      expect([titleOf(row), ...got.map(sentEvent)]).toEqual([titleOf(row), ...recorded]);
      await events.close();
      expect(await lastCall().closed).toBe(constants.NGHTTP2_CANCEL);
    });
  });
});

function resultOf(row: WireRow, result: unknown): unknown {
  if (row.rpc === 'List') return (result as readonly Resource[]).map(sentResource);
  if (row.rpc === 'Get' || row.rpc === 'Create' || row.rpc === 'Update') return [sentResource(result as Resource)];
  return result;
}

function recordedResult(row: WireRow): unknown {
  if (row.rpc === 'Destroy' || row.rpc === 'TeardownAndDestroy') return undefined;
  if (row.rpc !== 'Teardown') return row.responses.map(({ json }) => (json as { readonly resource: unknown }).resource);
  return (row.responses[0]?.json as { readonly destroyReady?: boolean } | undefined)?.destroyReady ?? false;
}

function subjectType(row: WireRow): string {
  const json = row.request.json as { type?: string; resource?: unknown; newResource?: unknown };
  const resource = (json.resource ?? json.newResource) as { metadata?: { type?: string } } | undefined;
  const named = json.type ?? resource?.metadata?.type ?? '';
  return row.rpc === 'Create' || row.rpc === 'Update' ? sendableType(row) : named;
}

function sendableType(row: WireRow): string {
  const bytes = bytesOf(row.request);
  const message =
    row.rpc === 'Create'
      ? read(wire.CreateRequestSchema, bytes).resource
      : read(wire.UpdateRequestSchema, bytes).newResource;
  return sendable(message).metadata.type;
}

function sentEvent(event: Event): unknown {
  if (event.type === 'errored') return { eventType: 'ERRORED', error: event.error.message };
  const type = { created: {}, updated: 1, destroyed: 2, bootstrapped: 3, noop: 5 }[event.type];
  return {
    ...(typeof type === 'number' && { eventType: wire.EventType[type] }),
    resource: sentResource(event.resource),
    ...(event.type === 'updated' && event.old !== undefined && { old: sentResource(event.old) }),
    ...(event.bookmark !== undefined && { bookmark: Buffer.from(event.bookmark).toString('base64') }),
  };
}

describe('the requests of the client', () => {
  const fromPeer = (name: string) => ofScenario(name).filter(({ from }) => from === 'go-client');

  it.each(scenarios.filter((name) => fromPeer(name).length > 0))('N2: are those of the peer in %s', async (name) => {
    await feed(fromPeer(name), async (row, client, lastCall) => {
      const result = await make(client, row).catch(() => undefined);
      if (result !== undefined && row.rpc === 'Watch') await (result as Watch<unknown>).close();
      const schema = requestSchemas[row.rpc];
      const sent = fromBinary(schema, lastCall().request);
      const recorded = fromBinary(schema, bytesOf(row.request));
      expect([titleOf(row), toJson(schema, sent)]).toEqual([titleOf(row), toJson(schema, recorded)]);
      expect(toBinary(schema, sent).length).toBe(toBinary(schema, recorded).length);
    });
  });
});
