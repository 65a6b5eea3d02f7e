import { describe, expect, it } from 'vitest';
import { WriteTurns } from './write-turns.js';

const a = { namespace: 'n', type: 't', id: 'a' };
const b = { ...a, id: 'b' };

describe('the turns of writes', () => {
  it('S16: work on one resource is done one after the other, work on others beside it', async () => {
    const turns = new WriteTurns();
    const order: string[] = [];
    expect(turns.enter(a)).toBeUndefined();
    const second = turns.enter(a)?.then(() => order.push('second'));
    const third = turns.enter(a)?.then(() => order.push('third'));
    expect(turns.enter(b)).toBeUndefined();
    turns.leave(b);
    order.push('first');
    turns.leave(a);
    await second;
    expect(order).toEqual(['first', 'second']);
    turns.leave(a);
    await third;
    expect(order).toEqual(['first', 'second', 'third']);
    turns.leave(a);
    expect(turns.enter(a)).toBeUndefined();
  });

  it.each([
    { ...a, type: 'other' },
    { ...a, namespace: 'other' },
    { namespace: 'nt', type: '', id: 'a' },
  ])('S16: resources of different kinds are different: %o', async (other) => {
    const turns = new WriteTurns();
    expect(turns.enter(a)).toBeUndefined();
    expect(turns.enter(other)).toBeUndefined();
    const second = turns.enter(a);
    const order: string[] = [];
    const waited = second?.then(() => order.push('waited'));
    turns.leave(other);
    await Promise.resolve();
    order.push('first');
    turns.leave(a);
    await waited;
    expect(order).toEqual(['first', 'waited']);
    turns.leave(a);
    await turns.idle();
    expect(turns.enter(other)).toBeUndefined();
  });

  it('is idle when no turn is taken, also none that was waited for meanwhile', async () => {
    const turns = new WriteTurns();
    await turns.idle();
    turns.enter(a);
    turns.enter(b);
    const order: string[] = [];
    const waiting = turns.enter(a)?.then(() => {
      order.push('waited');
      turns.leave(a);
    });
    const idle = turns.idle().then(() => order.push('idle'));
    turns.leave(b);
    turns.leave(a);
    await Promise.all([waiting, idle]);
    expect(order).toEqual(['waited', 'idle']);
  });
});
