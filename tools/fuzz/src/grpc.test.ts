import { describe, expect, it } from 'vitest';
import { Finding } from './attack.js';
import { checkStatus, checkText, type Outcome } from './grpc.js';

const fine: Outcome = {
  httpStatus: 200,
  headers: { 'grpc-message': 'resource%20a doesn%27t exist' },
  status: 'NotFound',
  body: Buffer.alloc(0),
  reset: 0,
};

describe('what is found of an answer', () => {
  it('is nothing when it is proper', () => {
    expect(checkStatus('Get', fine)).toBe('NotFound');
    expect(checkStatus('Watch', { ...fine, status: undefined, body: Buffer.alloc(5) })).toBe('open');
  });

  it.each<[string, Partial<Outcome>]>([
    ['there is none', { httpStatus: undefined, status: undefined, reset: 2 }],
    ['it is an error of HTTP', { httpStatus: 500 }],
    ['it has no status', { status: undefined }],
    ['its status is unknown', { status: 'status 99' }],
    ['its text is long', { headers: { 'grpc-message': 'x'.repeat(2049) } }],
    ['its text tells of a bug', { headers: { 'grpc-message': "Cannot read properties of undefined (reading 'a')" } }],
    ['its text tells of too deep a recursion', { headers: { 'grpc-message': 'Maximum call stack size exceeded' } }],
  ])('is that %s', (_what, changes) => {
    expect(() => checkStatus('Get', { ...fine, ...changes })).toThrow(Finding);
  });

  it('does not mind what the request itself said', () => {
    expect(() => checkText('Get', 'InvalidArgument', 'id "x is not a function" is bad')).not.toThrow();
  });
});
