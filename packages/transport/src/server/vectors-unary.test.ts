import { Code } from '@connectrpc/connect';
import { fromWireResource, wire } from '@cosi-ts/proto';
import { wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { answer, codeOf, expectSame, scenario, serving } from '../testdata/replay.js';
import { bytesOf, read, type WireRow } from '../testdata/wire-rows.js';

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
