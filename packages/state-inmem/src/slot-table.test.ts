import { compareUtf8, type Resource, Timestamp } from '@cosi-ts/resource';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredPage } from './backing-store.js';
import { Slot } from './slot.js';
import { SlotTable } from './slot-table.js';
import { Disk, disk } from './testing/disks.js';

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
          expect(table.load(disk(each))).toBe(!model.has(each));
          model.set(each, table.get(each) as Slot);
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

  it('S2: makes the resources of pages when they are asked for, each once', () => {
    const table = new SlotTable();
    const page = new TestPage(['a', 'b', 'c']);
    expect(table.loadPage(page)).toBeUndefined();
    expect(table.loadPage(new TestPage(['d']))).toBeUndefined();
    expect(table.size).toBe(4);
    expect(page.taken).toEqual([]);
    const b = table.get('b') as Slot;
    expect([b.id, page.taken]).toEqual(['b', ['b']]);
    expect(table.get('b')).toBe(b);
    table.remove(b);
    expect(table.get('b')).toBeUndefined();
    expect([...table.values()].map(({ id }) => id)).toEqual(['a', 'c', 'd']);
    expect([...table.values()].length).toBe(3);
    expect(page.taken).toEqual(['b', 'a', 'c']);
  });

  it('takes pages in whatever order, and says what it has already', () => {
    const table = new SlotTable();
    for (const ids of [['d', 'e'], ['b', 'a'], ['f'], ['c', 'g']]) {
      expect(table.loadPage(new TestPage(ids))).toBeUndefined();
    }
    expect([...table.values()].map(({ id }) => id).sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) expect(table.get(id)?.id).toBe(id);
    for (const ids of [['h', 'd'], ['g', 'i'], ['a']]) {
      expect(table.loadPage(new TestPage(ids))?.metadata.id, `${ids}`).toMatch(/[adg]/);
    }
  });

  it('forgets what is gone, and nothing else', () => {
    const table = new SlotTable();
    const ids = Array.from({ length: 400 }, (_, i) => String(i).padStart(3, '0'));
    const pages = [ids.slice(0, 200), ids.slice(200)].map((some) => new TestPage(some));
    for (const page of pages) table.loadPage(page);
    for (const id of ids.slice(0, 399)) table.remove(table.get(id) as Slot);
    expect(table.get('000')).toBeUndefined();
    expect(pages[1]?.taken).not.toContain('399');
    expect(table.get('399')?.id).toBe('399');
    expect([...table.values()].map(({ id }) => id)).toEqual(['399']);
  });
});

class TestPage implements StoredPage {
  readonly kind = Disk.kind;
  readonly newest = Timestamp.epoch;
  readonly ids: readonly string[];
  readonly taken: string[] = [];

  constructor(ids: readonly string[]) {
    this.ids = ids;
  }

  take(number: number): Resource {
    const id = this.ids[number] as string;
    if (this.taken.includes(id)) throw new RangeError(`${id} has been taken`);
    this.taken.push(id);
    return disk(id);
  }

  *[Symbol.iterator](): Iterator<Resource> {
    for (const i of this.ids.keys()) yield this.take(i);
  }
}
