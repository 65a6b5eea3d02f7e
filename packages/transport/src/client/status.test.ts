import { Code, ConnectError } from '@connectrpc/connect';
import { wire } from '@cosi-ts/proto';
import {
  AlreadyExistsError,
  CorruptError,
  type CosiError,
  type ErrorCode,
  isConflict,
  NotFoundError,
  OwnerConflictError,
  PendingFinalizersError,
  VersionConflictError,
} from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import type { Rpc } from '../rpc.js';
import { DeadlineExceededError } from './deadline-exceeded.js';
import { errorOf, isUnimplemented } from './status.js';

const pointer = { namespace: 'a', type: 'T', id: 'x' };

function answered(code: Code, detail?: { reason: string; domain?: string; metadata?: Record<string, string> }) {
  const details =
    detail === undefined
      ? []
      : [{ desc: wire.ErrorInfoSchema, value: { domain: 'cosi.dev', metadata: {}, ...detail } }];
  return new ConnectError('why', code, { 'grpc-status': String(code) }, details);
}

const codeOf = (error: CosiError): ErrorCode => error.code;

describe('errorOf', () => {
  it('N2: details come before the table', () => {
    const error = errorOf(
      answered(Code.InvalidArgument, { reason: 'invalid-argument', metadata: { namespace: 'b', type: 'U' } }),
      'update',
      pointer,
    );
    expect(error).toMatchObject({ code: 'invalid-argument', subject: { namespace: 'b', type: 'U' }, message: 'why' });
    expect(isConflict(errorOf(answered(Code.Unknown, { reason: 'pending-finalizers' }), 'destroy', pointer))).toBe(
      true,
    );
  });

  it('N2: without a pointer in the details the error is about what was asked for', () => {
    expect(errorOf(answered(Code.NotFound, { reason: 'not-found' }), 'get', pointer).subject).toEqual(pointer);
  });

  it('N2: details of others, and codes that are not known here, leave it to the table', () => {
    const foreign = answered(Code.NotFound, { reason: 'denied', domain: 'example.org' });
    expect(codeOf(errorOf(foreign, 'get', pointer))).toBe('not-found');
    const newer = answered(Code.FailedPrecondition, { reason: 'quota-conflict' });
    expect(codeOf(errorOf(newer, 'update', pointer))).toBe('version-conflict');
    const package_ = answered(Code.Unknown, { reason: 'keystorage/last-slot' });
    expect(codeOf(errorOf(package_, 'update', pointer))).toBe('keystorage/last-slot');
  });

  it.each<[Code, Rpc, ErrorCode]>([
    [Code.FailedPrecondition, 'get', 'unknown'],
    [Code.FailedPrecondition, 'create', 'unknown'],
    [Code.FailedPrecondition, 'teardown', 'conflict'],
    [Code.FailedPrecondition, 'watch', 'invalid-bookmark'],
    [Code.PermissionDenied, 'teardownAndDestroy', 'owner-conflict'],
    [Code.PermissionDenied, 'watch', 'denied'],
    [Code.Unavailable, 'list', 'unavailable'],
    [Code.ResourceExhausted, 'list', 'resource-exhausted'],
    [Code.Internal, 'list', 'unknown'],
    [Code.Canceled, 'list', 'unknown'],
    [Code.DeadlineExceeded, 'list', 'transport/deadline-exceeded'],
  ])('N2: code %i on %s is %s', (code, rpc, expected) => {
    expect(codeOf(errorOf(answered(code), rpc, pointer))).toBe(expected);
  });

  it('N2: a call that ended without a status from the peer is unavailable', () => {
    for (const code of [Code.Aborted, Code.Canceled, Code.Internal, Code.Unavailable, Code.Unknown]) {
      expect(codeOf(errorOf(new ConnectError('broken', code), 'get', pointer))).toBe('unavailable');
    }
    expect(codeOf(errorOf(new ConnectError('too large', Code.ResourceExhausted), 'get', pointer))).toBe(
      'resource-exhausted',
    );
  });

  it('S7: errors are of the class that has their code', () => {
    const classes = [
      [Code.NotFound, 'get', NotFoundError],
      [Code.AlreadyExists, 'create', AlreadyExistsError],
      [Code.PermissionDenied, 'update', OwnerConflictError],
      [Code.FailedPrecondition, 'update', VersionConflictError],
      [Code.DeadlineExceeded, 'get', DeadlineExceededError],
    ] as const;
    for (const [code, rpc, ErrorClass] of classes) {
      const error = errorOf(answered(code), rpc, pointer);
      expect(error).toBeInstanceOf(ErrorClass);
      expect([error.name, error.message, error.subject]).toEqual([ErrorClass.name, 'why', pointer]);
    }
    const pending = errorOf(answered(Code.FailedPrecondition, { reason: 'pending-finalizers' }), 'destroy', pointer);
    expect(pending).toBeInstanceOf(PendingFinalizersError);
    expect((pending as PendingFinalizersError).finalizers).toBeUndefined();
    expect(errorOf(answered(Code.Unknown, { reason: 'keystorage/last-slot' }), 'update', pointer).name).toBe(
      'CosiError',
    );
  });

  it('errors of this side stay what they are', () => {
    const error = new CorruptError('bad bytes');
    expect(errorOf(error, 'get', pointer)).toBe(error);
  });

  it('a peer that lacks a call is told apart from one that does not support what was asked', () => {
    expect(isUnimplemented(errorOf(answered(Code.Unimplemented), 'teardown', pointer))).toBe(true);
    const ours = answered(Code.Unimplemented, { reason: 'unsupported' });
    expect(isUnimplemented(errorOf(ours, 'teardown', pointer))).toBe(false);
    expect(isUnimplemented(new CorruptError('bad bytes'))).toBe(false);
  });
});
