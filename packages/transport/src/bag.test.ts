import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bag, type Held } from './bag.js';

describe('Bag', () => {
  it('holds what was put in and not taken out', () => {
    const steps = fc.array(
      fc.oneof({ weight: 10, arbitrary: fc.nat({ max: 30 }) }, { weight: 1, arbitrary: fc.constant('clear') }),
    );
    fc.assert(
      fc.property(steps, (all) => {
        const bag = new Bag<number>();
        const model = new Map<number, Held<number>>();
        const gone: Held<number>[] = [];
        for (const [n, step] of all.entries()) {
          const known = [...model.keys()];
          if (typeof step === 'string') {
            expect(new Set(bag.clear())).toEqual(new Set(known));
            gone.push(...model.values());
            model.clear();
          } else if (step < known.length) {
            const item = known[step] as number;
            const held = model.get(item) as Held<number>;
            bag.remove(held);
            gone.push(held);
            model.delete(item);
          } else model.set(n, bag.add(n));
          for (const held of gone) bag.remove(held);
          expect(bag.size).toBe(model.size);
          expect(new Set(bag.items())).toEqual(new Set(model.keys()));
        }
      }),
    );
  });
});
