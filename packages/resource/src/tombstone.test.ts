import { describe, expect, it, vi } from 'vitest';
import { Metadata } from './metadata.js';
import { Resource } from './resource.js';
import { defineResource } from './resource-type.js';
import { Timestamp } from './timestamp.js';
import { isTombstone, kindTombstone, tombstone } from './tombstone.js';

const Plain = defineResource({ type: 'Plains.test', namespace: 'default' });
const now = new Timestamp(1000, 5);

describe('tombstone', () => {
  it('R12: has the pointer and version as given, phase running, and both times', () => {
    const { metadata } = tombstone(Plain.at('x'), now, 7n);
    expect({ ...metadata }).toEqual({
      ...new Metadata({ namespace: 'default', type: 'Plains.test', id: 'x', version: 7n, created: now, updated: now }),
    });
    expect(tombstone(Plain.at('x'), now).metadata.version).toBeUndefined();
    expect(kindTombstone(Plain.kind, now).metadata).toMatchObject({
      namespace: 'default',
      type: 'Plains.test',
      id: '',
    });
  });

  it('R12: reading its spec is an error', () => {
    const typed = Plain.from(tombstone(Plain.at('x'), now));
    expect(() => typed.spec).toThrow(/Plains\.test\(default\/x\) is a tombstone/);
  });

  it('R12: is told from resources, and is equal to tombstones only', () => {
    const gone = tombstone(Plain.at('x'), now);
    const there = Plain.new('x', {});
    expect([isTombstone(gone), isTombstone(there)]).toEqual([true, false]);
    expect(gone.equals(tombstone(Plain.at('x'), Timestamp.epoch))).toBe(true);
    expect(gone.equals(there)).toBe(false);
    expect(there.equals(gone)).toBe(false);
    expect(gone.equals(new Resource(gone.metadata, there.content))).toBe(false);
  });

  it('R12: is a tombstone for another copy of the package too', async () => {
    vi.resetModules();
    const other = await import('./tombstone.js');
    expect(other.tombstone).not.toBe(tombstone);
    expect(isTombstone(other.tombstone(Plain.at('x'), now))).toBe(true);
    expect(other.isTombstone(tombstone(Plain.at('x'), now))).toBe(true);
    expect(tombstone(Plain.at('x'), now).equals(other.tombstone(Plain.at('x'), now))).toBe(true);
  });
});
