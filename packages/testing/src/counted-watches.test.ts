import { defineResource } from '@cosi-ts/resource';
import { wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { countedWatches } from './counted-watches.js';

const Disks = defineResource<{ sizeGiB: number }>({ type: 'Disks.test.cosi.dev', namespace: 'test' });

describe('countedWatches', () => {
  it('counts watches of all kinds until they end, in whatever way', async () => {
    const inner = new InMemoryState();
    const counted = countedWatches(inner);
    const state = wrapState(counted.core);
    const aborter = new AbortController();
    const first = await state.watch(Disks.at('a'));
    const second = await state.watchKind(Disks.kind, { signal: aborter.signal });
    const third = await state.watchKindAggregated(Disks.kind, { bootstrapContents: true });
    expect(counted.open).toBe(3);
    await state.create(Disks.new('a', { sizeGiB: 1 }));
    for await (const event of first) if (event.type === 'created') break;
    expect(counted.open).toBe(2);
    aborter.abort();
    expect((await second.next()).done).toBe(true);
    expect(counted.open).toBe(1);
    await third.close();
    await third.close();
    expect(counted.open).toBe(0);
  });
});
