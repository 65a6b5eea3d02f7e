import { describe, expect, it } from 'vitest';
import { keepWith, keptWith } from './kept.js';
import { defineResource } from './resource-type.js';

const Disk = defineResource<{ size: number }>({ type: 'Disks.test', namespace: 'a' });

describe('what is kept with a snapshot', () => {
  it('is there for the snapshot alone, and does not show', () => {
    const [disk, same] = [Disk.new('x', { size: 1 }), Disk.new('x', { size: 1 })];
    const made = {};
    expect(keptWith(disk)).toBeUndefined();
    keepWith(disk, made);
    expect(keptWith(disk)).toBe(made);
    expect([keptWith(same), keptWith(disk.withMetadata(disk.metadata))]).toEqual([undefined, undefined]);
    expect(Object.isFrozen(disk)).toBe(true);
    expect(disk).toStrictEqual(same);
    keepWith(disk, Disk);
    expect(keptWith(disk)).toBe(Disk);
  });

  it('is nothing for what is no snapshot of this copy of the package', () => {
    const foreign = Object.freeze({ ...Disk.new('x', { size: 1 }) });
    keepWith(foreign, {});
    expect(keptWith(foreign)).toBeUndefined();
  });
});
