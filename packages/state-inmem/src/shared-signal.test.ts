import { getEventListeners } from 'node:events';
import { defineResource } from '@cosi-ts/resource';
import { wrapState } from '@cosi-ts/state';
import { describe, expect, it, onTestFinished } from 'vitest';
import { InMemoryState } from './in-memory-state.js';

const Lamp = defineResource<{ watts: number }>({ type: 'Lamps.test', namespace: 'home' });

describe('one signal for many', () => {
  it('W2: watches and calls is fine: the host warns of no leak, and an abort ends them all', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const state = wrapState(new InMemoryState());
    const aborter = new AbortController();
    const { signal } = aborter;
    const watches = await Promise.all([
      ...Array.from({ length: 20 }, () => state.watchKind(Lamp.kind, { signal })),
      ...Array.from({ length: 20 }, (_, i) => state.watch(Lamp.at(`${i}`), { signal })),
    ]);
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => state.modify(Lamp.new(`${i}`, { watts: i }), () => undefined, { signal })),
    );
    const waiting = Array.from({ length: 20 }, (_, i) =>
      state.watchFor(Lamp.at(`${i}`), { events: ['destroyed'] }, { signal }).catch((error: unknown) => error),
    );
    // Warnings are emitted a tick later.
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
    aborter.abort('enough');
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['enough']));
    for (const watch of watches) expect((await watch.next()).done).toBe(true);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
