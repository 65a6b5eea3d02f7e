import type { Resource } from '@cosi-ts/resource';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { History } from './history.js';
import { HistoryEntry } from './history-entry.js';
import { disk, stored } from './testing/disks.js';

const sample = stored(disk('a'));

function append(history: History, position: number, bytes = 100, previous = -1): number {
  return history.append(new HistoryEntry('created', sample, undefined, position, previous, bytes), 0);
}

function positions(history: History): number[] {
  return [...history.entries(history.first, history.next)].map((entry) => entry.position);
}

describe('the history of a kind', () => {
  it('W12: keeps the last events, as many as it may', () => {
    const history = new History({ maxEvents: 3, maxBytes: 1e9 }, 0);
    for (const position of [1, 2, 5, 7, 11]) append(history, position);
    expect(positions(history)).toEqual([5, 7, 11]);
    expect(history.floor).toBe(2);
  });

  it('W12: keeps the newest event whatever its size', () => {
    const history = new History({ maxEvents: 100, maxBytes: 1000 }, 0);
    append(history, 1, 400);
    append(history, 2, 1_000_000);
    expect(positions(history)).toEqual([2]);
    append(history, 3, 10);
    expect(positions(history)).toEqual([3]);
  });

  it('W9: reaches back to where it began until it is trimmed', () => {
    const history = new History({ maxEvents: 2, maxBytes: 1e9 }, 40);
    append(history, 50);
    expect(history.floor).toBe(40);
    expect(history.positionBefore(history.first)).toBe(40);
    append(history, 51);
    append(history, 60);
    expect(history.floor).toBe(50);
    expect(history.positionBefore(history.next)).toBe(60);
  });

  it('W12: what is trimmed stays readable until it is released', () => {
    const history = new History({ maxEvents: 2, maxBytes: 1e9 }, 0);
    for (let position = 1; position <= 40; position++) append(history, position);
    expect([history.kept, history.first, history.next]).toEqual([0, 38, 40]);
    expect(history.at(0).position).toBe(1);
    history.release();
    expect(history.kept).toBe(38);
    expect(() => history.at(37)).toThrow(RangeError);
    expect(positions(history)).toEqual([39, 40]);
  });

  it('finds the first event after a position as a search from the oldest does', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: 200 }),
        (unsorted, maxEvents, after) => {
          const history = new History({ maxEvents, maxBytes: 1e9 }, 0);
          for (const position of unsorted.sort((a, b) => a - b)) append(history, position);
          history.release();
          const kept = positions(history);
          const at = kept.findIndex((position) => position > after);
          expect(history.numberAfter(after) - history.first).toBe(at < 0 ? kept.length : at);
        },
      ),
    );
  });

  it('finds the last events that meet a condition, in their order', () => {
    const history = new History({ maxEvents: 8, maxBytes: 1e9 }, 0);
    for (let position = 1; position <= 12; position++) append(history, position);
    const even = history.last(3, (entry) => entry.position % 2 === 0);
    expect(even.map((entry) => entry.position)).toEqual([8, 10, 12]);
    expect(history.last(100, () => true)).toHaveLength(8);
  });

  it('W12: a snapshot shared as resource and `old` counts once, also after the first of the two is trimmed', () => {
    const writes = fc.array(
      fc.record({ id: fc.integer({ min: 0, max: 3 }), bytes: fc.integer({ min: 1, max: 400 }), destroy: fc.boolean() }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(
        writes,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 5000 }),
        (all, maxEvents, maxBytes) => {
          const history = new History({ maxEvents, maxBytes }, 0);
          const present = new Map<number, { resource: Resource; bytes: number; number: number }>();
          const sizes = new Map<Resource, number>();
          for (const [position, { id, bytes, destroy }] of all.entries()) {
            const before = present.get(id);
            const resource = before !== undefined && destroy ? before.resource : stored(disk(`${id}`));
            const size = before !== undefined && destroy ? before.bytes : bytes;
            const old = destroy ? undefined : before?.resource;
            const type = before === undefined ? 'created' : destroy ? 'destroyed' : 'updated';
            const entry = new HistoryEntry(type, resource, old, position + 1, before?.number ?? -1, size);
            const number = history.append(entry, before?.bytes ?? 0);
            sizes.set(resource, size);
            if (type === 'destroyed') present.delete(id);
            else present.set(id, { resource, bytes, number });

            const entries = [...history.entries(history.first, history.next)];
            const held = new Set(
              entries.flatMap(({ resource, old }) => (old === undefined ? [resource] : [resource, old])),
            );
            const snapshots = [...held].reduce((sum, each) => sum + (sizes.get(each) ?? 0), 0);
            const overhead = history.bytes - snapshots;
            expect(overhead % entries.length).toBe(0);
            expect(overhead / entries.length).toBe(160);
            expect(history.bytes <= maxBytes || entries.length === 1).toBe(true);
            history.release();
          }
        },
      ),
    );
  });
});
