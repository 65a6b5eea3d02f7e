import { describe, expect, it } from 'vitest';
import { isInvalidArgument } from './error-guards.js';
import { Metadata, type MetadataInit } from './metadata.js';
import { Timestamp } from './timestamp.js';

const full: MetadataInit = {
  namespace: 'vms',
  type: 'VMConfigs',
  id: 'web-1',
  version: 7n,
  owner: 'VMController',
  phase: 'tearingDown',
  created: new Timestamp(-5, 123_456_789),
  updated: new Timestamp(5, 1),
  finalizers: ['b', 'a'],
  labels: { tier: 'web' },
  annotations: { note: 'x' },
};

function failure(make: () => unknown): unknown {
  try {
    make();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('Metadata', () => {
  it('R1: holds namespace, type, id, version, owner, phase, times, finalizers, labels, annotations and nothing else', () => {
    const metadata = new Metadata({ ...full, colour: 'red' } as MetadataInit);
    expect(Object.keys(metadata)).toEqual(Object.keys(full));
    expect({ ...metadata }).toEqual(full);
  });

  it('R1: has defaults for all but the pointer', () => {
    expect({ ...new Metadata({ namespace: 'n', type: 't', id: 'i' }) }).toEqual({
      namespace: 'n',
      type: 't',
      id: 'i',
      version: undefined,
      owner: '',
      phase: 'running',
      created: Timestamp.epoch,
      updated: Timestamp.epoch,
      finalizers: [],
      labels: {},
      annotations: {},
    });
  });

  it('R1: refuses what is of another kind', () => {
    for (const wrong of [
      { namespace: 1 },
      { id: undefined },
      { owner: null },
      { created: new Date() },
      { updated: 5 },
    ]) {
      expect(failure(() => new Metadata({ ...full, ...wrong } as unknown as MetadataInit))).toBeInstanceOf(TypeError);
    }
    expect(isInvalidArgument(failure(() => new Metadata({ ...full, version: -1n })))).toBe(true);
    expect(isInvalidArgument(failure(() => new Metadata({ ...full, phase: 'walking' as 'running' })))).toBe(true);
  });

  it('R1: takes times of another copy of the package as times', () => {
    const created = { seconds: 1, nanos: 2 } as Timestamp;
    expect(new Metadata({ ...full, created }).created).toEqual(new Timestamp(1, 2));
    expect(new Metadata({ ...full, created }).created).toBeInstanceOf(Timestamp);
  });

  it('R4: the owner can be set once, and the error names the present one', () => {
    const unowned = new Metadata({ ...full, owner: '' });
    const owned = unowned.withOwner('A');
    expect(owned.owner).toBe('A');
    expect(owned.withOwner('A')).toBe(owned);
    expect(failure(() => owned.withOwner('B'))).toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('owned by "A"'),
      subject: { namespace: 'vms', type: 'VMConfigs', id: 'web-1' },
    });
    expect(failure(() => owned.withOwner(''))).toMatchObject({ code: 'invalid-argument' });
  });

  it.each<[keyof MetadataInit, MetadataInit[keyof MetadataInit]]>([
    ['namespace', 'other'],
    ['type', 'other'],
    ['id', 'other'],
    ['version', 8n],
    ['version', undefined],
    ['owner', ''],
    ['phase', 'running'],
    ['labels', {}],
    ['labels', { tier: 'db' }],
    ['annotations', { note: '' }],
    ['finalizers', ['a']],
  ])('R7: metadata with another %s is not equal: %s', (field, value) => {
    expect(new Metadata(full).equals(new Metadata({ ...full, [field]: value } as MetadataInit))).toBe(false);
  });

  it('R7: the two times and the order of finalizers do not count', () => {
    const other = new Metadata({ ...full, created: Timestamp.epoch, updated: Timestamp.epoch, finalizers: ['a', 'b'] });
    expect(new Metadata(full).equals(other)).toBe(true);
  });

  it('R8: cannot be changed, by its maker neither', () => {
    const labels = { tier: 'web' };
    const names = ['a'];
    const metadata = new Metadata({ ...full, labels, finalizers: names });
    labels.tier = 'db';
    names.push('b');
    expect(metadata.labels.tier).toBe('web');
    expect(metadata.finalizers).toEqual(['a']);
    for (const key of Object.keys(full)) {
      expect(() => {
        (metadata as unknown as Record<string, unknown>)[key] = undefined;
      }).toThrow(TypeError);
    }
    expect(() => {
      (metadata.annotations as Record<string, string>).note = 'y';
    }).toThrow(TypeError);
  });

  it('R8: with makes new metadata, and shares what did not change', () => {
    const metadata = new Metadata(full);
    const changed = metadata.with({ version: undefined, phase: 'running', labels: { tier: 'db' } });
    expect({ ...changed }).toEqual({ ...full, version: undefined, phase: 'running', labels: { tier: 'db' } });
    expect(changed.annotations).toBe(metadata.annotations);
    expect(changed.finalizers).toBe(metadata.finalizers);
    expect(metadata.version).toBe(7n);
    expect(metadata.with({}).version).toBe(7n);
  });

  it('R2: prints versions exactly', () => {
    const metadata = new Metadata({ ...full, version: 2n ** 62n });
    expect(metadata.toString()).toBe('VMConfigs(vms/web-1@4611686018427387904)');
    expect(JSON.parse(JSON.stringify(metadata))).toEqual({
      ...full,
      version: '4611686018427387904',
      created: '1969-12-31T23:59:55.123456789Z',
      updated: '1970-01-01T00:00:05.000000001Z',
    });
    expect(new Metadata({ namespace: 'n', type: 't', id: 'i' }).toString()).toBe('t(n/i@undefined)');
  });
});
