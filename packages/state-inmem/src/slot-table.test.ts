import { compareUtf8 } from '@cosi-ts/resource';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Slot } from './slot.js';
import { SlotTable } from './slot-table.js';
import { disk } from './testing/disks.js';

function slot(id: string): Slot {
  return new Slot(disk(id), undefined);
}

describe('a table of slots', () => {
  // Surrogates sort otherwise in UTF-16 than in UTF-8.
  const id = fc.oneof(
    fc.nat(120).map((n) => `id-${n}`),
    fc.constantFrom('a', 'ä', '\u{1f642}', '\uffee', 'z'),
  );
  const ordered = fc.uniqueArray(id).map((ids) => ids.sort(compareUtf8));
  const change = fc.record({ id, kind: fc.constantFrom('add', 'remove', 'get') });

  it('S2: finds what is there and nothing else, in whatever order a store gave it', () => {
    fc.assert(
      fc.property(fc.oneof(ordered, fc.array(id)), fc.array(change, { maxLength: 200 }), (given, changes) => {
        const table = new SlotTable();
        const model = new Map<string, Slot>();
        for (const each of given) {
          const made = slot(each);
          expect(table.load(made)).toBe(!model.has(each));
          if (!model.has(each)) model.set(each, made);
        }
        for (const { id, kind } of changes) {
          const present = model.get(id);
          expect(table.get(id)).toBe(present);
          if (kind === 'add' && present === undefined) {
            const made = slot(id);
            table.add(made);
            model.set(id, made);
          } else if (kind === 'remove' && present !== undefined) {
            table.remove(present);
            model.delete(id);
          }
          expect(table.size).toBe(model.size);
        }
        expect(new Set(table.values())).toEqual(new Set(model.values()));
      }),
      { numRuns: 300 },
    );
  });

  it('gives what was loaded in order as it is, until something changes', () => {
    const table = new SlotTable();
    expect(table.inOrder).toBeUndefined();
    const slots = ['a', 'b', 'c'].map(slot);
    for (const each of slots) table.load(each);
    expect(table.inOrder).toEqual(slots);
    table.remove(slots[1] as Slot);
    expect(table.inOrder).toBeUndefined();
  });

  it('holds on to only so many that are gone', () => {
    const table = new SlotTable();
    const slots = Array.from({ length: 400 }, (_, i) => slot(String(i).padStart(3, '0')));
    for (const each of slots) table.load(each);
    for (const each of slots.slice(0, 399)) table.remove(each);
    expect([...table.values()]).toEqual(slots.slice(399));
    expect(table.get('000')).toBeUndefined();
    expect(table.get('399')).toBe(slots[399]);
  });
});
