import { defineResource, isOwnerConflict } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import { ownedState } from './owned-state.js';
import { wrapState } from './state.js';
import { ScriptedCore } from './testing/scripted-core.js';

const Disk = defineResource<{ size: number }>({ type: 'Disks.test.cosi.dev', namespace: 'test' });

function setUp() {
  const core = new ScriptedCore();
  const state = wrapState(core);
  return { core, state, mine: ownedState(state, 'me'), theirs: ownedState(state, 'them') };
}

describe('owned states', () => {
  it('A2: create sets the owner, update and modify check it', async () => {
    const { mine, theirs } = setUp();
    const created = await mine.create(Disk.new('a', { size: 1 }));
    expect(created.metadata.owner).toBe('me');
    expect(isOwnerConflict(await theirs.update(created).catch((error: unknown) => error))).toBe(true);
    const grow = (draft: { spec: { size: number } }) => {
      draft.spec.size += 1;
    };
    expect(isOwnerConflict(await theirs.modify(Disk.at('a'), grow).catch((error: unknown) => error))).toBe(true);
    expect((await mine.modify(Disk.at('a'), grow)).spec.size).toBe(2);
    expect((await mine.modify(Disk.at('b'), grow).catch(() => undefined))?.metadata.owner ?? 'not created').toBe(
      'not created',
    );
  });

  it('A2: each can be switched to no owner, teardown also to another one', async () => {
    const { mine, theirs } = setUp();
    const free = await mine.create(Disk.new('a', { size: 1 }), { owner: '' });
    expect(free.metadata.owner).toBe('');
    await mine.update(free, { owner: '' });
    await theirs.create(Disk.new('b', { size: 1 }));
    expect(isOwnerConflict(await mine.teardown(Disk.at('b')).catch((error: unknown) => error))).toBe(true);
    expect(await mine.teardown(Disk.at('b'), { owner: 'them' })).toBe(true);
  });

  it('A2: modify expects the running phase unless told otherwise', async () => {
    const { mine } = setUp();
    await mine.create(Disk.new('a', { size: 1 }));
    await mine.teardown(Disk.at('a'));
    await expect(mine.modify(Disk.at('a'), () => {})).rejects.toThrow('expected running');
    await mine.modify(
      Disk.at('a'),
      (draft) => {
        draft.spec.size = 2;
      },
      { expectedPhase: 'tearingDown' },
    );
  });

  it('A2: finalizers can be changed on resources of other owners', async () => {
    const { core, mine, theirs } = setUp();
    await theirs.create(Disk.new('a', { size: 1 }));
    await mine.addFinalizer(Disk.at('a'), 'me');
    expect(core.stored(Disk.at('a'))?.metadata).toMatchObject({ owner: 'them', finalizers: ['me'] });
    await mine.removeFinalizer(Disk.at('a'), 'me');
    expect(core.stored(Disk.at('a'))?.metadata.finalizers).toEqual([]);
  });

  it('refuses an empty name', () => {
    expect(() => ownedState(setUp().state, '')).toThrow(TypeError);
  });
});
