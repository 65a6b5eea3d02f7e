import { getEventListeners } from 'node:events';
import { defineResource } from '@cosi-ts/resource';
import { describe, expect, it, vi } from 'vitest';
import { wrapState } from './state.js';
import { ScriptedCore } from './testing/scripted-core.js';
import type { WatchCondition } from './watch-for.js';

const Lamp = defineResource<{ watts: number }>({ type: 'Lamps.test', namespace: 'home' });
const lamp = (watts: number) => Lamp.new('desk', { watts });

type Matches = NonNullable<WatchCondition<ReturnType<typeof lamp>>['matches']>;

async function waitingFor(matches: Matches) {
  const core = new ScriptedCore();
  const aborter = new AbortController();
  const { signal } = aborter;
  const waiting = wrapState(core).watchFor(Lamp.at('desk'), { matches }, { signal });
  const outcome = waiting.catch((error: unknown) => error);
  await vi.waitFor(() => expect(core.watches).toHaveLength(1));
  for (const watts of [1, 2, 3]) core.watches[0]?.push({ type: 'updated', resource: lamp(watts) });
  return { core, aborter, outcome };
}

describe('waiting with a predicate that takes its time', () => {
  it('S13: is over when it says so, not when it begins', async () => {
    const asked: number[] = [];
    const { core, outcome, aborter } = await waitingFor(async ({ spec }) => {
      asked.push(spec.watts);
      await Promise.resolve();
      return spec.watts === 2;
    });
    expect(await outcome).toMatchObject({ spec: { watts: 2 } });
    expect(asked).toEqual([1, 2]);
    expect(core.watches[0]?.closed).toBe(true);
    expect(getEventListeners(aborter.signal, 'abort')).toEqual([]);
  });

  it('S13: ends at once with the signal’s reason, also while it goes on', async () => {
    const asked: number[] = [];
    const { core, outcome, aborter } = await waitingFor(({ spec }) => {
      asked.push(spec.watts);
      return new Promise<boolean>(() => undefined);
    });
    await vi.waitFor(() => expect(asked).toEqual([1]));
    aborter.abort('enough');
    expect(await outcome).toBe('enough');
    expect(core.watches[0]?.closed).toBe(true);
  });

  it('S13: rejects with what it throws', async () => {
    const { core, outcome } = await waitingFor(() => Promise.reject(new Error('no luck')));
    expect(await outcome).toMatchObject({ message: 'no luck' });
    expect(core.watches[0]?.closed).toBe(true);
  });
});
