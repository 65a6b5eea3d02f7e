import { Code, ConnectError } from '@connectrpc/connect';
import { findTrailerError, setTrailerStatus } from '@connectrpc/connect/protocol-grpc';
import { wire } from '@cosi-ts/proto';
import { NotFoundError, OwnerConflictError, UnknownError } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import { statusOf } from '../status.js';
import { statusTrailers } from './status-trailers.js';

const subject = { namespace: 'ns', type: 'Disks.test', id: 'größer 🙂 %' };

describe('trailers of a status', () => {
  it.each([
    ['an error of the state', statusOf(new NotFoundError(subject), 'get')],
    ['one that others have the same code for', statusOf(new OwnerConflictError(subject, 'a', 'b'), 'update')],
    ['text of any language', statusOf(new UnknownError('größer 🙂 %41\n'), 'list')],
    ['a plain status', new ConnectError('late', Code.DeadlineExceeded)],
    ['details that came as bytes', received(statusOf(new NotFoundError(subject), 'get'))],
  ])('N2: %s: they say what the RPC library says', (_name, status) => {
    const headers = new Headers(statusTrailers(status));
    expect(Object.fromEntries(headers)).toEqual(Object.fromEntries(setTrailerStatus(new Headers(), status)));
    const read = findTrailerError(headers) as ConnectError;
    expect([read.code, read.rawMessage]).toEqual([status.code, status.rawMessage]);
    expect(read.findDetails(wire.ErrorInfoSchema)).toEqual(received(status).findDetails(wire.ErrorInfoSchema));
  });
});

/** As it is on the other side. */
function received(status: ConnectError): ConnectError {
  return findTrailerError(setTrailerStatus(new Headers(), status)) as ConnectError;
}
