import { nextTurn, VirtualClock } from '@cosi-ts/state';
import { describe, expect, it } from 'vitest';
import { Turns } from './turns.js';

function stepsUntilDue(turns: Turns): number {
  let steps = 0;
  while (!turns.due()) steps++;
  return steps;
}

describe('Turns', () => {
  it('are due after many steps, and count anew in the next turn', async () => {
    const turns = new Turns(new VirtualClock());
    const steps = stepsUntilDue(turns);
    expect(steps).toBeGreaterThan(100);
    expect([turns.due(), turns.due()]).toEqual([true, true]);
    await turns.next();
    expect(stepsUntilDue(turns)).toBe(steps);
  });

  it('are due after a millisecond of work, but not for time that passed between turns', async () => {
    let nowMs = 0;
    const turns = new Turns(Object.assign(new VirtualClock(), { monotonicMs: () => nowMs }));
    expect(turns.due()).toBe(false);
    await nextTurn();
    nowMs = 1000;
    for (let step = 0; step < 20; step++) expect(turns.due()).toBe(false);
    nowMs = 1002;
    expect(stepsUntilDue(turns)).toBeLessThan(8);
  });

  it.each([
    [0.2, 1],
    [5, 5],
    [100, 8],
  ])('last as long as the others take for theirs, within bounds: %d ms', async (othersMs, turnMs) => {
    let nowMs = 0;
    const turns = new Turns(Object.assign(new VirtualClock(), { monotonicMs: () => nowMs }));
    turns.due();
    nowMs = 2;
    expect(stepsUntilDue(turns)).toBeLessThan(8);
    await turns.next();
    nowMs += othersMs;
    expect(turns.due()).toBe(false);
    nowMs += turnMs;
    for (let step = 0; step < 20; step++) expect(turns.due()).toBe(false);
    nowMs += 0.01;
    expect(stepsUntilDue(turns)).toBeLessThan(8);
    await turns.next();
    expect(turns.due()).toBe(false);
  });

  it('end at once where no step was made', async () => {
    const order: string[] = [];
    const ended = new Turns(new VirtualClock()).next().then(() => order.push('turn'));
    await Promise.resolve();
    order.push('promises');
    await ended;
    expect(order).toEqual(['promises', 'turn']);
  });
});
