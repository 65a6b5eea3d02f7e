import { afterEach, describe, expect, it, vi } from 'vitest';
import { nextTurn } from './turn.js';

describe('nextTurn', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it('lets everything that awaits only promises go first', async () => {
    const order: string[] = [];
    const turn = nextTurn().then(() => order.push('turn'));
    for (let i = 0; i < 50; i++) await undefined;
    order.push('promises');
    await turn;
    expect(order).toEqual(['promises', 'turn']);
  });

  it('works on hosts without setImmediate', async () => {
    vi.stubGlobal('setImmediate', undefined);
    const order: string[] = [];
    const turn = nextTurn().then(() => order.push('turn'));
    for (let i = 0; i < 50; i++) await undefined;
    order.push('promises');
    await turn;
    expect(order).toEqual(['promises', 'turn']);
  });
});
