import { describe, expect, it } from 'vitest';
import { Room } from './room.js';

function room(limits: Record<string, number>) {
  const room = new Room({ limits, defaultLimit: 100 });
  room.open();
  const granted: string[] = [];
  const ask = (id: string, pool: string | undefined, { key, priority = 0 }: { key?: string; priority?: number } = {}) =>
    room.request(id, { pool, key: key === undefined ? undefined : { name: key, limit: 1 }, priority }, () => {
      granted.push(id);
    });
  return { room, granted, ask };
}

describe('room', () => {
  it('E22: those with the higher priority are started first, equals in the order in which they asked', () => {
    const { room: of, granted, ask } = room({ run: 1 });
    ask('first', 'run');
    ask('low', 'run', { priority: -1 });
    ask('a', 'run');
    ask('high', 'run', { priority: 5 });
    ask('b', 'run');
    for (const id of ['first', 'high', 'a', 'b']) of.release(id);
    expect(granted).toEqual(['first', 'high', 'a', 'b', 'low']);
  });

  it('E22: a key that is taken holds back only those that need it', () => {
    const { room: of, granted, ask } = room({ run: 2 });
    ask('a', 'run', { key: 'db' });
    ask('b', 'run', { key: 'db', priority: 9 });
    ask('c', 'run');
    ask('d', 'run', { key: 'db', priority: 10 });
    expect(granted).toEqual(['a', 'c']);
    of.release('a');
    expect(granted).toEqual(['a', 'c', 'd']);
    of.release('d');
    of.release('c');
    expect(granted).toEqual(['a', 'c', 'd', 'b']);
  });

  it('E22: pools do not hold each other back, and who needs none is not held back at all', () => {
    const { granted, ask } = room({ run: 1, http: 1 });
    ask('a', 'run');
    ask('b', 'run');
    ask('c', 'http');
    ask('d', undefined);
    expect(granted).toEqual(['a', 'c', 'd']);
  });

  it('who asked no more is not granted anything', () => {
    const { room: of, granted, ask } = room({ run: 1 });
    ask('a', 'run');
    ask('b', 'run');
    of.release('b');
    of.release('b');
    of.release('a');
    expect(granted).toEqual(['a']);
  });

  it('grants nothing before it knows who has what', () => {
    const of = new Room({ limits: { run: 1 }, defaultLimit: 1 });
    const granted: string[] = [];
    of.request('b', { pool: 'run', key: undefined, priority: 0 }, () => granted.push('b'));
    of.hold('a', { pool: 'run', key: undefined });
    of.open();
    expect(granted).toEqual([]);
    of.release('a');
    expect(granted).toEqual(['b']);
  });

  it('knows who has a key', () => {
    const { room: of, ask } = room({});
    ask('a', undefined, { key: 'k' });
    expect(of.holders('k')).toEqual(['a']);
    expect(of.isFree({ name: 'k', limit: 1 })).toBe(false);
    of.release('a');
    expect(of.isFree({ name: 'k', limit: 1 })).toBe(true);
  });
});
