import { describe, expect, it } from 'vitest';
import { settled } from '../testdata/harness.js';
import { WriteOrder } from './write-order.js';

/** Notes who has the turn of an id. */
function entering(order: WriteOrder, entered: string[]) {
  return async (who: string, id: string, signal?: AbortSignal) => {
    await order.enter(id, signal);
    entered.push(who);
  };
}

describe('the order of writes', () => {
  it('lets those to one id through one after the other, and others at once', async () => {
    const [order, entered]: [WriteOrder, string[]] = [new WriteOrder(), []];
    const enter = entering(order, entered);
    for (const who of ['a1', 'a2', 'a3']) void enter(who, 'a');
    void enter('b1', 'b');
    await settled();
    expect(entered).toEqual(['a1', 'b1']);
    order.leave('a');
    await settled();
    expect(entered).toEqual(['a1', 'b1', 'a2']);
    order.leave('a');
    await settled();
    order.leave('a');
    order.leave('b');
    expect(entered).toEqual(['a1', 'b1', 'a2', 'a3']);
    expect(order.enter('a', undefined)).toBeUndefined();
  });

  it('passes over those whose signal has aborted, and lets go of the signal', async () => {
    const [order, entered]: [WriteOrder, string[]] = [new WriteOrder(), []];
    const enter = entering(order, entered);
    const aborter = new AbortController();
    await enter('first', 'a');
    const second = enter('second', 'a', aborter.signal);
    const third = enter('third', 'a');
    aborter.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    await expect(enter('fourth', 'a', aborter.signal)).rejects.toThrow('enough');
    order.leave('a');
    await third;
    order.leave('a');
    expect(entered).toEqual(['first', 'third']);
    expect(order.enter('a', undefined)).toBeUndefined();
  });
});
