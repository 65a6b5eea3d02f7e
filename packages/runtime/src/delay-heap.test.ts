import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DelayHeap } from './delay-heap.js';

interface Entry {
  readonly name: number;
  dueMs: number;
  order: number;
  heapIndex: number;
}

describe('DelayHeap', () => {
  it('gives items in the order of their times, then of their coming, whatever is taken out in between', () => {
    const steps = fc.array(
      fc.oneof(
        fc.nat(20).map((dueMs) => ({ dueMs })),
        fc.nat(50).map((remove) => ({ remove })),
      ),
    );
    fc.assert(
      fc.property(steps, (taken) => {
        const heap = new DelayHeap<Entry>();
        const model: Entry[] = [];
        for (const [name, step] of taken.entries()) {
          if ('dueMs' in step) {
            const entry: Entry = { name, dueMs: 0, order: 0, heapIndex: -1 };
            heap.push(entry, step.dueMs);
            model.push(entry);
            model.sort((a, b) => a.dueMs - b.dueMs);
          } else if (model.length > 0) {
            const [entry] = model.splice(step.remove % model.length, 1);
            heap.remove(entry as Entry);
            expect(entry?.heapIndex).toBe(-1);
          }
          expect(heap.length).toBe(model.length);
          expect(heap.earliest).toBe(model[0]);
        }
        const drained: number[] = [];
        for (let item = heap.earliest; item !== undefined; item = heap.earliest) {
          heap.remove(item);
          drained.push(item.name);
        }
        expect(drained).toEqual(model.map(({ name }) => name));
      }),
    );
  });
});
