import { getEventListeners } from 'node:events';
import { defineResource } from '@cosi-ts/resource';
import { wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connected } from '../testdata/pair.js';

const Lamp = defineResource<{ watts: number }>({ type: 'Lamps.test', namespace: 'home' });

describe('one signal for many', () => {
  it('W2, N5: watches and calls of a client is fine: no warning of a leak, and an abort ends them all', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    await using pair = await connected(new InMemoryState());
    const state = wrapState(pair.client);
    const aborter = new AbortController();
    const { signal } = aborter;
    const watches = await Promise.all([
      ...Array.from({ length: 20 }, () => state.watchKind(Lamp.kind, { signal })),
      ...Array.from({ length: 20 }, (_, i) => state.watch(Lamp.at(`${i}`), { signal })),
    ]);
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => state.modify(Lamp.new(`${i}`, { watts: i }), () => undefined, { signal })),
    );
    const lists = Array.from({ length: 20 }, () => state.list(Lamp.kind, { signal }).catch((error: unknown) => error));
    // Warnings are emitted a tick later.
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
    aborter.abort('enough');
    expect(new Set(await Promise.all(lists))).toEqual(new Set(['enough']));
    for (const watch of watches) expect((await watch.next()).done).toBe(true);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
