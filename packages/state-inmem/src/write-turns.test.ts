import { describe, expect, it } from 'vitest';
import { WriteTurns } from './write-turns.js';

describe('the turns of writes', () => {
  it('S16: work on one key is done one after the other, work on others beside it', async () => {
    const turns = new WriteTurns();
    const order: string[] = [];
    expect(turns.enter('a')).toBeUndefined();
    const second = turns.enter('a')?.then(() => order.push('second'));
    const third = turns.enter('a')?.then(() => order.push('third'));
    expect(turns.enter('b')).toBeUndefined();
    turns.leave('b');
    order.push('first');
    turns.leave('a');
    await second;
    expect(order).toEqual(['first', 'second']);
    turns.leave('a');
    await third;
    expect(order).toEqual(['first', 'second', 'third']);
    turns.leave('a');
    expect(turns.enter('a')).toBeUndefined();
  });

  it('is idle when no turn is taken, also none that was waited for meanwhile', async () => {
    const turns = new WriteTurns();
    await turns.idle();
    turns.enter('a');
    turns.enter('b');
    const order: string[] = [];
    const waiting = turns.enter('a')?.then(() => {
      order.push('waited');
      turns.leave('a');
    });
    const idle = turns.idle().then(() => order.push('idle'));
    turns.leave('b');
    turns.leave('a');
    await Promise.all([waiting, idle]);
    expect(order).toEqual(['waited', 'idle']);
  });
});
