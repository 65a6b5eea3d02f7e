import { defineResource, type JsonValue, type Resource, type SpecCodec, Timestamp } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import { judgeCreate, judgeDestroy, judgeTeardown, judgeUpdate } from './judgement.js';

interface Reading {
  readonly degrees: number;
}

const exact: SpecCodec<Reading> = {
  parse: (input) => Object.freeze({ ...input }),
  blank: () => ({ degrees: 0 }),
  draft: (spec) => ({ ...spec }),
  equals: (a, b) => a.degrees === b.degrees,
  toJson: ({ degrees }) => ({ degrees }),
  fromJson: (json) => Object.freeze(json as unknown as Reading),
};
/** Keeps less of a fraction than it is given. */
const single: SpecCodec<Reading> = {
  ...exact,
  toJson: ({ degrees }): JsonValue => ({ degrees: Math.fround(degrees) }),
};
/** Nobody can say what it keeps. */
const never: SpecCodec<Reading> = { ...exact, equals: () => false };

const declared = (spec: SpecCodec<Reading>) => defineResource({ type: 'Readings.test', namespace: 'test', spec });
const [Exact, Single, Never] = [declared(exact), declared(single), declared(never)];
const born = new Timestamp(1_000_000, 5);

function resource(type: typeof Exact, degrees: number, version: bigint, owner = 'me'): Resource {
  const made = type.new('a', { degrees });
  return made.withMetadata(made.metadata.with({ version, owner, created: born }));
}

const labeled = (found: Resource) => found.withMetadata(found.metadata.with({ labels: { by: 'another' } }));
const held = (found: Resource) => found.withMetadata(found.metadata.with({ finalizers: ['Holder'] }));
const torn = (found: Resource) => found.withMetadata(found.metadata.with({ phase: 'tearingDown' }));
const anew = (found: Resource) => found.withMetadata(found.metadata.with({ created: new Timestamp(2_000_000, 0) }));

describe('what is stored after an update', () => {
  const given = resource(Exact, 20, 4n);
  it.each([
    ['nothing', undefined, 'unclear', 'unclear'],
    ['what was there', resource(Exact, 19, 4n), 'pending', 'pending'],
    ['what was there, in another life', anew(resource(Exact, 19, 4n)), 'unclear', 'unclear'],
    ['what was written', resource(Exact, 20, 5n), 'made', 'unclear'],
    ['what was written, in another life', anew(resource(Exact, 20, 5n)), 'unclear', 'unclear'],
    ['another spec', resource(Exact, 21, 5n), 'refused', 'refused'],
    ['other metadata', labeled(resource(Exact, 20, 5n)), 'refused', 'refused'],
    ['a later version', resource(Exact, 20, 6n), 'unclear', 'unclear'],
    ['an earlier version', resource(Exact, 20, 1n), 'unclear', 'unclear'],
  ])('S5: %s', (_what, found, alone, amongOthers) => {
    expect(judgeUpdate(given, found, true).is).toBe(alone);
    expect(judgeUpdate(given, found, false).is).toBe(amongOthers);
  });

  it('S5: without a version tells nothing', () => {
    expect(judgeUpdate(Exact.new('a', { degrees: 1 }), resource(Exact, 1, 1n), true).is).toBe('unclear');
  });

  it('R8: is the same when its own encoding has changed it, and unclear when nobody can say', () => {
    const stored = resource(Single, Math.fround(20.1), 5n);
    expect(judgeUpdate(resource(Single, 20.1, 4n), stored, true).is).toBe('made');
    expect(judgeUpdate(resource(Single, 20.2, 4n), stored, true).is).toBe('unclear');
    expect(judgeUpdate(resource(Single, 20.5, 4n), stored, true).is).toBe('refused');
    expect(judgeUpdate(resource(Never, 20, 4n), resource(Never, 20, 5n), true).is).toBe('unclear');
  });
});

describe('what is stored after', () => {
  it.each([
    ['nothing', undefined, 'pending'],
    ['what was written', resource(Exact, 20, 1n), 'made'],
    ['another spec', resource(Exact, 21, 1n), 'refused'],
    ['another one’s', resource(Exact, 20, 1n, 'you'), 'refused'],
    ['a later version', held(resource(Exact, 20, 2n)), 'unclear'],
  ])('S4: a create: %s', (_what, found, alone) => {
    const created = Exact.new('a', { degrees: 20 });
    const given = created.withMetadata(created.metadata.with({ owner: 'me' }));
    expect(judgeCreate(given, found, true).is).toBe(alone);
    expect(judgeCreate(given, found, false).is).toBe('unclear');
  });

  it.each([
    ['nothing', undefined, 'refused', 'refused'],
    ['one that runs', resource(Exact, 20, 4n), 'pending', 'unclear'],
    ['one that is torn down', torn(resource(Exact, 20, 5n)), 'made', 'made'],
  ])('S10: a teardown: %s', (_what, found, alone, amongOthers) => {
    const at = Exact.at('a');
    expect(judgeTeardown(at, found, true).is).toBe(alone);
    expect(judgeTeardown(at, found, false).is).toBe(amongOthers);
  });

  it('S10: a teardown tells whether it is held', () => {
    const at = Exact.at('a');
    const found = torn(resource(Exact, 20, 5n));
    expect(judgeTeardown(at, found, true)).toMatchObject({ result: true });
    expect(judgeTeardown(at, held(found), true)).toMatchObject({ result: false });
  });

  it.each([
    ['nothing', undefined, 'made', 'made'],
    ['one that runs', resource(Exact, 20, 4n), 'pending', 'unclear'],
    ['one that is torn down', torn(resource(Exact, 20, 5n)), 'pending', 'pending'],
  ])('S6: a destroy: %s', (_what, found, alone, amongOthers) => {
    expect(judgeDestroy(found, true).is).toBe(alone);
    expect(judgeDestroy(found, false).is).toBe(amongOthers);
  });
});
