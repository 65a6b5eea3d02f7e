import { Code, ConnectError } from '@connectrpc/connect';
import { wire } from '@cosi-ts/proto';
import { ConflictError, CosiError, DeniedError, NotFoundError, UnknownError } from '@cosi-ts/resource';
import { filter } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { readErrorDetail } from '../client/error-details.js';
import { statusOf } from './status.js';

const pointer = { namespace: 'a', type: 'T', id: 'x' };

/** The detail that a client reads. */
function detailOf(status: ConnectError): unknown {
  return status.details.map((detail) => ('desc' in detail ? detail.value : detail));
}

describe('statusOf', () => {
  it('N2: details carry the code of the error and its pointer', () => {
    const status = statusOf(new NotFoundError(pointer), 'get');
    expect(status.code).toBe(Code.NotFound);
    expect(detailOf(status)).toEqual([{ reason: 'not-found', domain: 'cosi.dev', metadata: pointer }]);
    const ofKind = statusOf(new ConflictError('no', { subject: { namespace: 'a', type: 'T' } }), 'update');
    expect(detailOf(ofKind)).toEqual([
      { reason: 'conflict', domain: 'cosi.dev', metadata: { namespace: 'a', type: 'T' } },
    ]);
    expect(detailOf(statusOf(new UnknownError('?'), 'get'))).toEqual([
      { reason: 'unknown', domain: 'cosi.dev', metadata: {} },
    ]);
  });

  it('N2: the code of a package travels with an unknown status', () => {
    const status = statusOf(new CosiError('keystorage/slot-exists', 'there'), 'create');
    expect(status.code).toBe(Code.Unknown);
    expect(readErrorDetail(received(status))).toEqual({ code: 'keystorage/slot-exists', subject: undefined });
  });

  it('N2: the first error in the chain of causes that says anything decides, and the outermost has the word', () => {
    const error = new Error('around it', { cause: new UnknownError('in it', { cause: new NotFoundError(pointer) }) });
    const status = statusOf(error, 'get');
    expect([status.code, status.rawMessage]).toEqual([Code.NotFound, 'around it']);
  });

  it('N2: a status that a rule’s error carries takes the place of the refusal', () => {
    const carried = new ConnectError('who are you?', Code.Unauthenticated);
    const status = statusOf(new DeniedError('no', { cause: carried }), 'update');
    expect([status.code, status.rawMessage, status.details]).toEqual([Code.Unauthenticated, 'no', []]);
    expect(statusOf(new DeniedError('no', { cause: new Error('why') }), 'update').code).toBe(Code.PermissionDenied);
    expect(statusOf(carried, 'update').rawMessage).toBe('who are you?');
  });

  it('N2: whatever a rule throws is a refusal, unless it carries a status', async () => {
    const thrown = async (error: unknown) => {
      const state = filter(new InMemoryState(), () => {
        throw error;
      });
      const seen = await state.get(pointer).catch((caught: unknown) => caught);
      expect(seen).toBe(error);
      return statusOf(seen, 'update');
    };
    const plain = await thrown(new Error('out of office'));
    expect([plain.code, plain.rawMessage]).toEqual([Code.PermissionDenied, 'out of office']);
    expect(detailOf(plain)).toEqual([{ reason: 'denied', domain: 'cosi.dev', metadata: pointer }]);
    expect((await thrown(new DOMException('the directory is slow', 'TimeoutError'))).code).toBe(Code.PermissionDenied);
    expect((await thrown(Object.freeze({ odd: true }))).code).toBe(Code.PermissionDenied);
    expect((await thrown(new UnknownError('?'))).code).toBe(Code.PermissionDenied);
    expect((await thrown(new ConnectError('full', Code.ResourceExhausted))).code).toBe(Code.ResourceExhausted);
    expect((await thrown(new NotFoundError(pointer))).code).toBe(Code.NotFound);
    const wrapped = new Error('around it', { cause: await thrown(new Error('out of office')) });
    expect(statusOf(wrapped, 'update').code).toBe(Code.PermissionDenied);
    expect(statusOf(new Error('out of office'), 'update').code).toBe(Code.Unknown);
  });

  it.each([
    ['out of office', 'out of office'],
    [17, '17'],
    ['', 'get of T(a/x) denied: not allowed'],
    [undefined, 'get of T(a/x) denied: not allowed'],
    [null, 'get of T(a/x) denied: not allowed'],
    [new Error(), 'get of T(a/x) denied: not allowed'],
  ])('N2: a rule that throws %o refuses', async (thrown, text) => {
    const state = filter(new InMemoryState(), () => {
      throw thrown;
    });
    const context = { identity: 'ann' };
    const seen = await state.get(pointer, { context }).catch((caught: unknown) => caught);
    const status = statusOf(seen, 'update', context);
    expect([status.code, status.rawMessage]).toEqual([Code.PermissionDenied, text]);
    expect(detailOf(status)).toEqual([{ reason: 'denied', domain: 'cosi.dev', metadata: pointer }]);
  });

  it('N7: an error of a rule that cannot be read is a refusal, too', async () => {
    const get = () => {
      throw new Error('a trap');
    };
    for (const [thrown, text] of [
      [Object.assign(new Error(), { message: 5 }), '5'],
      [Object.defineProperty(new Error('no'), 'cause', { get }), 'no'],
      [Object.defineProperty(new Error(), 'message', { get }), 'something was thrown that cannot be printed'],
    ] as const) {
      const state = filter(new InMemoryState(), () => Promise.reject(thrown));
      const status = statusOf(await state.get(pointer).catch((caught: unknown) => caught), 'get');
      expect([status.code, status.rawMessage]).toEqual([Code.PermissionDenied, text]);
    }
  });

  it('N7: the pointer is there whole, or not at all when its parts exceed 4 KiB', () => {
    const fits = { namespace: 'n'.repeat(1024), type: 'ü'.repeat(1024), id: 'i'.repeat(1024) };
    const metadata = (id: string) => detailOf(statusOf(new NotFoundError({ ...fits, id }), 'get'));
    expect(metadata(fits.id)).toMatchObject([{ metadata: fits }]);
    expect(metadata(`${fits.id}i`)).toMatchObject([{ metadata: {} }]);
  });

  it('N7: anything that can be thrown has a status', () => {
    const round = new Error('round');
    round.cause = round;
    for (const thrown of [undefined, null, 1, 'text', Symbol('s'), Object.create(null), round, () => 1]) {
      expect(statusOf(thrown, 'get').code).toBe(Code.Unknown);
    }
  });
});

/** As it arrives at a client. */
function received(status: ConnectError): ConnectError {
  const copy = new ConnectError(status.rawMessage, status.code);
  copy.details = status.details;
  expect(status.findDetails(wire.ErrorInfoSchema)).toHaveLength(1);
  return copy;
}
