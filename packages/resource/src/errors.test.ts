import { describe, expect, it, vi } from 'vitest';
import * as guards from './error-guards.js';
import * as errors from './errors.js';

const pointer = { namespace: 'vms', type: 'VMConfigs.vms.example', id: 'web-1' };
const kind = { namespace: 'vms', type: 'VMConfigs.vms.example' };

type Package = typeof errors & typeof guards;

const here: Package = { ...errors, ...guards };

/** One error of each class, and its code. */
function samples(from: typeof errors): Record<string, errors.CosiError> {
  return {
    'not-found': new from.NotFoundError(pointer),
    'already-exists': new from.AlreadyExistsError(pointer),
    'version-conflict': new from.VersionConflictError(pointer, 1n, 2n),
    'owner-conflict': new from.OwnerConflictError(pointer, 'A', ''),
    'phase-conflict': new from.PhaseConflictError(pointer, 'tearingDown', 'running'),
    'pending-finalizers': new from.PendingFinalizersError(pointer, ['A', 'B']),
    conflict: new from.ConflictError('message', { subject: pointer }),
    'invalid-argument': new from.InvalidArgumentError('message'),
    'invalid-bookmark': new from.InvalidBookmarkError('message'),
    overrun: new from.OverrunError(kind, 1n, 200n, 100),
    unsupported: new from.UnsupportedError('message'),
    denied: new from.DeniedError('message'),
    unauthenticated: new from.UnauthenticatedError('message'),
    unavailable: new from.UnavailableError('message'),
    'resource-exhausted': new from.ResourceExhaustedError('message'),
    corrupt: new from.CorruptError('message'),
    'in-use': new from.InUseError('message'),
    closed: new from.ClosedError('message'),
    unknown: new from.UnknownError('message'),
  };
}

const guardOf = {
  'not-found': 'isNotFound',
  'already-exists': 'isAlreadyExists',
  'version-conflict': 'isVersionConflict',
  'owner-conflict': 'isOwnerConflict',
  'phase-conflict': 'isPhaseConflict',
  'pending-finalizers': 'isPendingFinalizers',
  'invalid-argument': 'isInvalidArgument',
  'invalid-bookmark': 'isInvalidBookmark',
  overrun: 'isOverrun',
  unsupported: 'isUnsupported',
  denied: 'isDenied',
  unauthenticated: 'isUnauthenticated',
  unavailable: 'isUnavailable',
  'resource-exhausted': 'isResourceExhausted',
  corrupt: 'isCorrupt',
  'in-use': 'isInUse',
  closed: 'isClosed',
} as const;

const conflictCodes = [
  'already-exists',
  'version-conflict',
  'owner-conflict',
  'phase-conflict',
  'pending-finalizers',
  'conflict',
];

/** The codes that each guard of one copy accepts among the errors of another. */
function accepted(from: Package, of: typeof errors): Record<string, string[]> {
  return Object.fromEntries(
    [...Object.values(guardOf), 'isConflict' as const].map((name) => [
      name,
      Object.entries(samples(of))
        .filter(([, error]) => from[name](error))
        .map(([code]) => code),
    ]),
  );
}

const expected = {
  ...Object.fromEntries(Object.entries(guardOf).map(([code, name]) => [name, [code]])),
  isConflict: conflictCodes,
};

async function anotherCopy(): Promise<Package> {
  vi.resetModules();
  return { ...(await import('./errors.js')), ...(await import('./error-guards.js')) };
}

describe('errors', () => {
  it('S7: every error has its code, and a name and a message for people', () => {
    for (const [code, error] of Object.entries(samples(errors))) {
      expect(error).toBeInstanceOf(errors.CosiError);
      expect(error).toBeInstanceOf(Error);
      expect(error.code).toBe(code);
      expect(error.name).toMatch(/^[A-Z]\w+Error$/);
      expect(error.message).not.toBe('');
    }
  });

  it('S7: each guard accepts its own code, and isConflict all conflicts', () => {
    expect(accepted(here, errors)).toEqual(expected);
  });

  it('S7: guards work across two copies of the package', async () => {
    const copy = await anotherCopy();
    expect(samples(copy)['not-found']).not.toBeInstanceOf(errors.CosiError);
    expect(accepted(here, copy)).toEqual(expected);
    expect(accepted(copy, errors)).toEqual(expected);
  });

  it('S7: a write whose answer was lost is told from what was never begun, also across two copies', async () => {
    const copy = await anotherCopy();
    const lost = new copy.UnavailableError('the connection broke', { outcomeUnknown: true });
    expect(guards.isOutcomeUnknown(lost)).toBe(true);
    expect(guards.isUnavailable(lost)).toBe(true);
    expect(guards.isOutcomeUnknown(new errors.UnavailableError('nobody listens'))).toBe(false);
    expect(guards.isOutcomeUnknown({ code: 'unavailable', outcomeUnknown: true })).toBe(false);
    const conflict = Object.assign(new errors.NotFoundError(pointer), { outcomeUnknown: true });
    expect(guards.isOutcomeUnknown(conflict)).toBe(false);
  });

  it('S7: guards refuse everything else', () => {
    for (const value of [undefined, null, 'not-found', 1, new Error('not-found'), { code: 'not-found' }]) {
      for (const name of [...Object.values(guardOf), 'isConflict' as const]) expect(here[name](value)).toBe(false);
    }
  });

  it('S7: an error carries the pointer concerned, as a copy, and its cause', () => {
    const given = { ...pointer, extra: true };
    const cause = new Error('cause');
    const error = new errors.NotFoundError(given, { cause });
    given.id = 'changed';
    expect(error.subject).toEqual(pointer);
    expect(Object.isFrozen(error.subject)).toBe(true);
    expect(error.cause).toBe(cause);
    expect(samples(errors).overrun?.subject).toEqual(kind);
    expect(samples(errors).denied?.subject).toBeUndefined();
    expect('cause' in (samples(errors).denied as Error)).toBe(false);
  });

  it('S7: isConflict can ask for a namespace and a type', () => {
    const error = new errors.VersionConflictError(pointer, 1n, 2n);
    expect(guards.isConflict(error, { namespace: 'vms', type: pointer.type })).toBe(true);
    expect(guards.isConflict(error, { namespace: 'other' })).toBe(false);
    expect(guards.isConflict(error, { type: 'Other' })).toBe(false);
    expect(guards.isConflict(new errors.ConflictError('message'), { namespace: 'vms' })).toBe(false);
    expect(guards.isConflict(new errors.ConflictError('message'), {})).toBe(true);
  });

  it('S7: messages name what is concerned', () => {
    const { message } = new errors.VersionConflictError(pointer, undefined, 2n ** 60n);
    expect(message).toContain('VMConfigs.vms.example(vms/web-1)');
    expect(message).toContain('undefined');
    expect(message).toContain('1152921504606846976');
    expect(new errors.PendingFinalizersError(pointer, ['A', 'B']).message).toContain('A, B');
    expect(new errors.OwnerConflictError(pointer, 'A', '').message).toMatch(/"A".*""/);
  });
});
