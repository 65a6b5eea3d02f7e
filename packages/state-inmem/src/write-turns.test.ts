import { describe, expect, it } from 'vitest';
import { Deferred } from './testing/deferred.js';
import { WriteTurns } from './write-turns.js';

describe('the turns of writes', () => {
  it('S16: work on one key runs one after the other, work on others beside it', async () => {
    const turns = new WriteTurns();
    const begun: string[] = [];
    const gates = { first: new Deferred(), second: new Deferred(), other: new Deferred() };
    const run = (key: string, name: keyof typeof gates) =>
      turns.run(key, () => {
        begun.push(name);
        return gates[name].promise;
      });
    const first = run('a', 'first');
    const second = run('a', 'second');
    const other = run('b', 'other');
    expect(begun).toEqual(['first', 'other']);
    gates.other.resolve();
    await other;
    gates.first.resolve();
    await first;
    gates.second.resolve();
    await second;
    expect(begun).toEqual(['first', 'other', 'second']);
  });

  it('goes on after work that fails', async () => {
    const turns = new WriteTurns();
    const failing = turns.run('a', () => Promise.reject(new Error('disk full')));
    const next = turns.run('a', async () => 'done');
    await expect(failing).rejects.toThrow('disk full');
    expect(await next).toBe('done');
  });

  it('is idle when the last work has settled, also that which came meanwhile', async () => {
    const turns = new WriteTurns();
    const gate = new Deferred();
    const order: string[] = [];
    const first = turns
      .run('a', () => gate.promise)
      .then(() => {
        order.push('first');
        return turns.run('b', async () => void order.push('second'));
      });
    const idle = turns.idle().then(() => order.push('idle'));
    gate.resolve();
    await Promise.all([first, idle]);
    expect(order).toEqual(['first', 'second', 'idle']);
  });
});
