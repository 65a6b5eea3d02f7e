import { describe, expect, it, vi } from 'vitest';
import { MessageMemory } from './message-memory.js';

const same = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;
const message = (length: number, last = 0) => new Uint8Array(length).fill(1).fill(last, length - 1);

describe('the memory of messages', () => {
  it('gives what was made of the same bytes, and of no others', () => {
    const compare = vi.fn(same);
    const memory = new MessageMemory<string>(compare);
    memory.set(message(100, 1), 'a');
    expect(memory.get(message(100, 1))).toBe('a');
    expect(memory.get(message(100, 2))).toBeUndefined();
    expect(memory.get(message(101, 1))).toBeUndefined();
    expect(compare).toHaveBeenCalledTimes(1);
    const other = message(100, 1);
    other[0] = 9;
    expect(memory.get(other)).toBeUndefined();
    memory.set(other, 'b');
    expect([memory.get(other), memory.get(message(100, 1))]).toEqual(['b', undefined]);
  });

  it('takes no more than so many bytes, and so many messages: the oldest go', () => {
    const large = new MessageMemory<number>(same);
    for (let i = 0; i < 6; i++) large.set(message(1024 * 1024, i), i);
    expect([0, 1, 2, 3, 4, 5].map((i) => large.get(message(1024 * 1024, i)))).toEqual([
      undefined,
      undefined,
      2,
      3,
      4,
      5,
    ]);
    const small = new MessageMemory<number>(same);
    const numbered = (i: number) => Uint8Array.of(0, i >> 8, i & 255);
    for (let i = 0; i < 5000; i++) small.set(numbered(i), i);
    expect([small.get(numbered(903)), small.get(numbered(904))]).toEqual([undefined, 904]);
  });

  it('holds messages of any length', () => {
    const memory = new MessageMemory<string>(same);
    memory.set(new Uint8Array(0), 'nothing');
    memory.set(Uint8Array.of(255, 255), 'two');
    expect([memory.get(new Uint8Array(0)), memory.get(Uint8Array.of(255, 255))]).toEqual(['nothing', 'two']);
  });
});
