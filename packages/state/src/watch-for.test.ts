import { defineResource } from '@cosi-ts/resource';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { wrapState } from './state.js';

const Lamp = defineResource<{ watts: number }>({ type: 'Lamps.test', namespace: 'home' });
const at = Lamp.at('desk');

async function setup() {
  const state = wrapState(new InMemoryState());
  const stored = await state.create(Lamp.new('desk', { watts: 1 }));
  const brighten = () =>
    state.modify(at, (draft) => {
      draft.spec.watts++;
    });
  return { state, stored, brighten };
}

describe('waiting with a predicate that takes its time', () => {
  it('S13: is over when it says so, not when it begins', async () => {
    const { state, brighten } = await setup();
    const asked: number[] = [];
    const found = state.watchFor(at, {
      async matches({ spec }) {
        asked.push(spec.watts);
        await Promise.resolve();
        return spec.watts === 3;
      },
    });
    await brighten();
    await brighten();
    expect((await found).spec.watts).toBe(3);
    expect(asked).toEqual([1, 2, 3]);
  });

  it('S13: ends at once with the signal’s reason, and leaves nothing on the signal', async () => {
    const { state } = await setup();
    const aborter = new AbortController();
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const waiting = state.watchFor(
      at,
      {
        matches: () => {
          begin();
          return new Promise<boolean>(() => undefined);
        },
      },
      { signal: aborter.signal },
    );
    await begun;
    aborter.abort('enough');
    await expect(waiting).rejects.toBe('enough');
  });

  it('S13: rejects with what it throws', async () => {
    const { state } = await setup();
    const { signal } = new AbortController();
    const waiting = state.watchFor(at, { matches: () => Promise.reject(new Error('no luck')) }, { signal });
    await expect(waiting).rejects.toThrow('no luck');
  });
});
