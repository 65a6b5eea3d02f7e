import { describe, expect, it } from 'vitest';
import { inBatches } from './in-batches.js';

async function* numbers(upTo: number, pauseAfter = Number.POSITIVE_INFINITY, go: Promise<void> = Promise.resolve()) {
  for (let i = 0; i < upTo; i++) {
    if (i === pauseAfter) await go;
    yield i;
  }
}

async function all<T>(batches: AsyncIterable<readonly T[]>): Promise<(readonly T[])[]> {
  const found: (readonly T[])[] = [];
  for await (const batch of batches) found.push(batch);
  return found;
}

describe('inBatches', () => {
  it('gives what is ready together, and no more than so many', async () => {
    expect(await all(inBatches(numbers(5), 10))).toEqual([[0, 1, 2, 3, 4]]);
    expect(await all(inBatches(numbers(5), 2))).toEqual([[0, 1], [2, 3], [4]]);
    expect(await all(inBatches(numbers(4), 2))).toEqual([
      [0, 1],
      [2, 3],
    ]);
    expect(await all(inBatches(numbers(0), 2))).toEqual([]);
  });

  it('does not hold back what is there until more comes', async () => {
    let go: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    const batches = inBatches(numbers(4, 2, held), 10);
    expect((await batches.next()).value).toEqual([0, 1]);
    go();
    expect((await batches.next()).value).toEqual([2, 3]);
    expect((await batches.next()).done).toBe(true);
  });

  it('fails as the stream does', async () => {
    async function* failing() {
      yield 1;
      throw new Error('broken');
    }
    await expect(all(inBatches(failing(), 10))).rejects.toThrow('broken');
  });
});
