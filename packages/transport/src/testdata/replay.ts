import { wire } from '@cosi-ts/proto';
import type { CoreState } from '@cosi-ts/state';
import { expect } from 'vitest';
import { serveState } from '../server/serve-state.js';
import { RawClient } from './raw-client.js';
import { bytesOf, comparable, comparableEvents, read, type WireRow, wireRows } from './wire-rows.js';

/** The recorded requests, answered by this server. */
export interface Outcome {
  readonly responses: readonly Uint8Array[];
  readonly code: number | 'open';
}

export async function serving(core: CoreState, run: (client: RawClient) => Promise<void>): Promise<void> {
  await using server = await serveState(core, { address: '127.0.0.1:0' });
  await using client = new RawClient(server.url);
  await run(client);
}

/** Runs a call that ends. */
export async function answer(client: RawClient, row: WireRow, request = bytesOf(row.request)): Promise<Outcome> {
  const call = client.call(row.rpc, request);
  const responses = await call.all();
  return { responses, code: (await call.status).code };
}

/** Runs a watch until as many messages have come as were recorded, or it has ended. */
export async function observe(
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

export function codeOf(row: WireRow): number | 'open' {
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

export function expectSame(row: WireRow, outcome: Outcome, code = codeOf(row)): void {
  expect({ row: row.name, code: outcome.code, responses: shownResponses(row, outcome.responses) }, row.name).toEqual({
    row: row.name,
    code,
    responses: code === codeOf(row) ? shownResponses(row, row.responses.map(bytesOf)) : [],
  });
}

export function expectSameEvents(row: WireRow, outcome: Outcome, options: { readonly bookmarks?: boolean } = {}): void {
  const show = (messages: readonly Uint8Array[]) =>
    messages.map((message) => comparableEvents(message, options.bookmarks ?? true));
  expect({ row: row.name, code: outcome.code, events: show(outcome.responses) }, row.name).toEqual({
    row: row.name,
    code: codeOf(row),
    events: show(row.responses.map(bytesOf)),
  });
}

export function scenario(name: string): readonly WireRow[] {
  const rows = wireRows.filter((row) => row.scenario === name);
  expect(rows.length).toBeGreaterThan(0);
  return rows;
}
