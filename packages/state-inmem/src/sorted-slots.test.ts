import { compareUtf8 } from '@cosi-ts/resource';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Slot } from './slot.js';
import { SortedSlots } from './sorted-slots.js';
import { disk } from './testing/disks.js';

class Fixture {
  readonly #slots = new Map<string, Slot>();
  readonly sorted = new SortedSlots(this);

  get size(): number {
    return this.#slots.size;
  }
  has(slot: Slot): boolean {
    return this.#slots.get(slot.id) === slot;
  }
  slots(): Iterable<Slot> {
    return this.#slots.values();
  }

  toggle(id: string): void {
    if (this.#slots.delete(id)) {
      this.sorted.removed();
      return;
    }
    const slot = new Slot(disk(id), undefined);
    this.#slots.set(id, slot);
    this.sorted.added(slot);
  }

  ids(): string[] {
    return this.sorted.view().map((slot) => slot.id);
  }
}

describe('sorted slots', () => {
  it('S3: are in the byte order of UTF-8, which is not that of UTF-16', () => {
    const fixture = new Fixture();
    for (const id of ['\u{1f642}', '\uffff', 'b', 'B', 'é', 'a/b', 'a']) fixture.toggle(id);
    expect(fixture.ids()).toEqual(['B', 'a', 'a/b', 'b', 'é', '\uffff', '\u{1f642}']);
  });

  it('S3: equal a full sort after any additions, removals and looks', () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.integer({ min: 0, max: 40 }).map((n) => `id-${n}`) },
      { weight: 1, arbitrary: fc.constant('look') },
      { weight: 1, arbitrary: fc.constant('many') },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const fixture = new Fixture();
        for (const [at, each] of steps.entries()) {
          if (each === 'many') for (let i = 0; i < 70; i++) fixture.toggle(`many-${at}-${i}`);
          else if (each !== 'look') fixture.toggle(each);
          else expect(fixture.ids()).toEqual([...fixture.slots()].map((slot) => slot.id).sort(compareUtf8));
        }
        expect(fixture.ids()).toEqual([...fixture.slots()].map((slot) => slot.id).sort(compareUtf8));
      }),
    );
  });

  it('gives the same array until something changes', () => {
    const fixture = new Fixture();
    fixture.toggle('a');
    const view = fixture.sorted.view();
    expect(fixture.sorted.view()).toBe(view);
    fixture.toggle('b');
    expect(view.map((slot) => slot.id)).toEqual(['a']);
    expect(fixture.ids()).toEqual(['a', 'b']);
  });
});
