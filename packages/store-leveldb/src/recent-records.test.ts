import { describe, expect, it } from 'vitest';
import { RecentRecords } from './recent-records.js';
import { thing } from './testdata/things.js';

describe('recent records', () => {
  it('are given once, for the very snapshot that they are of', () => {
    const records = new RecentRecords();
    const record = Uint8Array.of(1, 2, 3);
    const resource = thing('a');
    records.add(resource, record);
    expect(records.take(thing('a'))).toBeUndefined();
    expect(records.take(resource)).toBe(record);
    expect(records.take(resource)).toBeUndefined();
  });

  it('are forgotten from the oldest on when there are too many bytes of them', () => {
    const records = new RecentRecords();
    const resources = Array.from({ length: 6 }, (_, i) => thing(String(i)));
    const quarter = new Uint8Array(256 * 1024);
    for (const resource of resources) records.add(resource, quarter);
    expect(resources.map((resource) => records.take(resource) !== undefined)).toEqual([
      ...[false, false],
      ...[true, true, true, true],
    ]);
    // What was taken makes room.
    for (const resource of resources.slice(0, 4)) records.add(resource, quarter);
    expect(records.take(resources[0] as (typeof resources)[0])).toBe(quarter);
  });
});
