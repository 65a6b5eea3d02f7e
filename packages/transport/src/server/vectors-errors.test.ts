import { Code, ConnectError } from '@connectrpc/connect';
import {
  ConflictError,
  InvalidBookmarkError,
  NotFoundError,
  OwnerConflictError,
  PhaseConflictError,
  UnsupportedError,
} from '@cosi-ts/resource';
import type { CoreState } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import { answer, codeOf, scenario, serving } from '../testdata/replay.js';
import { wireRows } from '../testdata/wire-rows.js';

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

  it('every scenario of the recording is replayed, but for those with empty namespaces, which create refuses', () => {
    const others = [...new Set(wireRows.map(({ scenario }) => scenario))].filter(
      (name) => !name.startsWith('state error'),
    );
    const replayed = ['unary/default', 'teardown/default', 'watch/default', 'bookmarks/default', 'malformed/default'];
    expect(others.filter((name) => !replayed.includes(name))).toEqual(['unary/', 'teardown/', 'watch/', 'bookmarks/']);
  });

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
