import { Code, ConnectError } from '@connectrpc/connect';
import { findTrailerError } from '@connectrpc/connect/protocol-grpc';
import { wire } from '@cosi-ts/proto';
import { NotFoundError } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import { statusTrailers } from '../../server/grpc/status-trailers.js';
import { statusOf } from '../../server/status.js';
import { headersFault, type ResponseHeaders, responseStatus } from './response-status.js';

const answered = { ':status': 200, 'content-type': 'application/grpc+proto' } as ResponseHeaders;
const answeredWith = (headers: Readonly<Record<string, string>>) => ({ ...answered, ...headers }) as ResponseHeaders;
const notFound = statusOf(new NotFoundError({ namespace: 'ns', type: 'Disks.test', id: 'größer 🙂' }), 'get');

describe('the status of an answer', () => {
  it.each([
    ['with details', statusTrailers(notFound)],
    ['without details', { 'grpc-status': '5', 'grpc-message': 'gr%C3%B6%C3%9Fer' }],
    ['with a text that was not encoded as it should be', { 'grpc-status': '13', 'grpc-message': '100% wrong' }],
    ['without a text', { 'grpc-status': '13' }],
    ['that is none', { 'grpc-status': '99' }],
  ])('N2: %s: it is what the RPC library reads', (name, trailers) => {
    const status = responseStatus(answered, trailers) as ConnectError;
    const headers = new Headers(trailers as unknown as Record<string, string>);
    const expected = name.includes('not encoded')
      ? new ConnectError('100% wrong', Code.Internal)
      : (findTrailerError(headers) as ConnectError);
    expect(status.code).toBe(expected.code);
    if (!name.includes('none')) expect(status.rawMessage).toBe(expected.rawMessage);
    expect(status.findDetails(wire.ErrorInfoSchema)).toEqual(expected.findDetails(wire.ErrorInfoSchema));
    // By these it is known that the peer itself has answered.
    expect([status.metadata.has('grpc-status'), status.metadata.get('content-type')]).toEqual([
      true,
      'application/grpc+proto',
    ]);
  });

  it('N2: is OK in trailers, and in the headers of an answer without anything else', () => {
    expect(responseStatus(answered, { 'grpc-status': '0' })).toBeUndefined();
    expect(responseStatus(answeredWith({ 'grpc-status': '0' }), undefined)).toBeUndefined();
    expect(responseStatus(answeredWith({ 'grpc-status': '5' }), undefined)?.code).toBe(Code.NotFound);
  });

  it('N9: none at all is not taken for a status of the peer', () => {
    const status = responseStatus(answered, undefined);
    expect([status?.code, [...(status?.metadata.keys() ?? [])]]).toEqual([Code.Internal, []]);
  });

  it('N7: details that cannot be read leave code and text', () => {
    const trailers = { 'grpc-status': '5', 'grpc-message': 'gone', 'grpc-status-details-bin': '/////w' };
    expect(responseStatus(answered, trailers)).toMatchObject({ code: Code.NotFound, rawMessage: 'gone', details: [] });
  });
});

describe('headers of an answer', () => {
  it.each([
    [400, Code.Internal],
    [401, Code.Unauthenticated],
    [404, Code.Unimplemented],
    [503, Code.Unavailable],
    [418, Code.Unknown],
  ])('N2: the status %i of HTTP is one of gRPC', (status, code) => {
    expect(headersFault({ ':status': status, 'content-type': 'text/html' } as ResponseHeaders)?.code).toBe(code);
  });

  it('N2: what is not gRPC, or has an encoding that was not asked for, is a fault', () => {
    expect(headersFault(answered)).toBeUndefined();
    expect(
      headersFault(answeredWith({ 'content-type': 'application/grpc', 'grpc-encoding': 'identity' })),
    ).toBeUndefined();
    expect(headersFault(answeredWith({ 'content-type': 'application/json' }))?.code).toBe(Code.Unknown);
    expect(headersFault(answeredWith({ 'grpc-encoding': 'gzip' }))?.code).toBe(Code.Internal);
  });
});
