import { Code } from '@connectrpc/connect';
import type { ErrorCode } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import type { Rpc } from '../rpc.js';
import { statusCodeOf } from './status-codes.js';

const { AlreadyExists, FailedPrecondition, InvalidArgument, NotFound, PermissionDenied, Unimplemented } = Code;
const { Aborted, ResourceExhausted, Unauthenticated, Unavailable, Unknown } = Code;
const none = undefined;

const rpcs: readonly Rpc[] = ['get', 'list', 'create', 'update', 'destroy', 'teardown', 'teardownAndDestroy', 'watch'];

/** One row for each code of an error, one column for each call, in the order above. */
const table: readonly (readonly [ErrorCode, ...(Code | undefined)[]])[] = [
  ['not-found', NotFound, NotFound, NotFound, NotFound, NotFound, NotFound, NotFound, none],
  ['owner-conflict', none, none, ...Array<Code>(5).fill(PermissionDenied), none],
  ['phase-conflict', none, none, AlreadyExists, InvalidArgument, ...Array<Code>(3).fill(FailedPrecondition), none],
  ...(['already-exists', 'version-conflict', 'pending-finalizers', 'conflict'] as const).map(
    (code) => [code, none, none, AlreadyExists, ...Array<Code>(4).fill(FailedPrecondition), none] as const,
  ),
  ['invalid-bookmark', none, none, none, none, none, none, none, FailedPrecondition],
  ['overrun', none, none, none, none, none, none, none, Aborted],
  ['unsupported', ...Array<Code>(5).fill(Unimplemented), Unknown, Unknown, Unimplemented],
  ['invalid-argument', ...Array<Code>(3).fill(InvalidArgument), Unknown, ...Array<Code>(4).fill(InvalidArgument)],
  ['denied', ...Array<Code>(8).fill(PermissionDenied)],
  ['unauthenticated', ...Array<Code>(8).fill(Unauthenticated)],
  ['unavailable', ...Array<Code>(8).fill(Unavailable)],
  ['closed', ...Array<Code>(8).fill(Unavailable)],
  ['resource-exhausted', ...Array<Code>(8).fill(ResourceExhausted)],
  ['corrupt', ...Array<undefined>(8).fill(none)],
  ['in-use', ...Array<undefined>(8).fill(none)],
  ['unknown', ...Array<undefined>(8).fill(none)],
  ['keystorage/slot-exists', ...Array<undefined>(8).fill(none)],
];

describe('statusCodeOf', () => {
  it.each(table.map(([code, ...expected]) => [code, expected] as const))('N2: %s', (code, expected) => {
    const shown = rpcs.map((rpc) => [rpc, statusCodeOf(code, rpc)]);
    expect(shown).toEqual(rpcs.map((rpc, i) => [rpc, expected[i]]));
  });
});
