import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messagesIn } from '../envelope.js';
import { batchBytes } from '../limits.js';
import { itemOf } from '../testdata/placed-items.js';
import { batchOf, type Packing } from './batches.js';

const bytes = (length: number, filling = 0) => new Uint8Array(length).fill(filling);

function messages(items: readonly Uint8Array[], packing: Packing): Uint8Array[][] {
  const batches: Uint8Array[][] = [];
  for (let at = 0; at < items.length; ) {
    const batch = batchOf(items, at, batchBytes, packing, itemOf);
    const found = [...messagesIn(batch)];
    expect(batch.count).toBe(found.length);
    expect(batch.to).toBeGreaterThan(at);
    batches.push(found);
    at = batch.to;
  }
  return batches;
}

const joined = (parts: readonly Uint8Array[]) => Buffer.concat(parts).toString('base64');

describe('batches', () => {
  const lengths = fc.array(fc.oneof(fc.nat(100), fc.nat(300_000), fc.nat(2_000_000)), { maxLength: 20 });

  it('N6: keep the order, lose nothing, and hold at most 1 MiB unless it is a single event', () => {
    fc.assert(
      fc.property(lengths, fc.constantFrom<Packing>('together', 'apart'), (lengths, packing) => {
        const items = lengths.map(bytes);
        const batches = messages(items, packing);
        expect(joined(batches.flat())).toBe(joined(items));
        for (const batch of batches) {
          const { length } = Buffer.concat(batch);
          const isSingle = packing === 'together' ? items.some((item) => item.length === length) : batch.length === 1;
          if (!isSingle) expect(length).toBeLessThanOrEqual(batchBytes);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('N6: are one message, or one for each item', () => {
    const items = [bytes(2, 1), bytes(0), bytes(3, 2)];
    expect(messages(items, 'together')).toEqual([[Uint8Array.of(1, 1, 2, 2, 2)]]);
    expect(messages(items, 'apart')).toEqual([items]);
  });

  it('N6: are not much smaller than they could be', () => {
    expect(
      messages(
        Array.from({ length: 100 }, () => bytes(Math.floor(batchBytes / 10.5))),
        'together',
      ),
    ).toHaveLength(10);
  });

  it('N6: an item that cannot be sent holds back nothing that comes before it', () => {
    const encode = (item: number) => {
      if (item < 0) throw new Error('too large');
      return itemOf(bytes(item));
    };
    const first = batchOf([1, 2, -1, 3], 0, batchBytes, 'apart', encode);
    expect([first.count, first.to]).toEqual([2, 2]);
    expect(() => batchOf([1, 2, -1, 3], first.to, batchBytes, 'apart', encode)).toThrow('too large');
  });
});
