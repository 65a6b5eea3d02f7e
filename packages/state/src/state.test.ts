import {
  defineResource,
  isNotFound,
  isPhaseConflict,
  NotFoundError,
  OwnerConflictError,
  type Resource,
  type TypedDraft,
} from '@cosi-ts/resource';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import type { UpdateOptions } from './core-state.js';
import { wrapState } from './state.js';
import { ScriptedCore } from './testing/scripted-core.js';

interface Spec {
  size: number;
}

const Disk = defineResource<Spec>({ type: 'Disks.test.cosi.dev', namespace: 'test' });
const OtherDisk = defineResource<Spec>({ type: 'Disks.test.cosi.dev', namespace: 'test' });
const disk = Disk.new('a', { size: 1 }).withMetadata(Disk.new('a', { size: 1 }).metadata.with({ version: 1n }));

function setUp() {
  const core = new ScriptedCore();
  core.put(disk);
  return { core, state: wrapState(core) };
}

describe('the typed state', () => {
  it('R9: reads through a declaration are typed without a cast', async () => {
    const { state } = setUp();
    const read = await state.get(Disk.at('a'));
    expectTypeOf(read.spec.size).toEqualTypeOf<number>();
    expect(read.spec.size).toBe(1);
    const listed = await state.list(Disk.kind);
    expect(listed.map((each) => each.spec.size)).toEqual([1]);
    // The declaration itself stands for its kind.
    const alike = await state.list(Disk);
    expect(alike.map((each) => each.spec.size)).toEqual([1]);
    const opaque = await state.get({ namespace: 'test', type: 'Disks.test.cosi.dev', id: 'a' });
    expectTypeOf(opaque).toEqualTypeOf<Resource>();
    expect(Disk.from(opaque).spec.size).toBe(1);
  });

  it('R9: the declaration passed to a call is what decodes', async () => {
    const { state } = setUp();
    const read = await state.get(OtherDisk.at('a'));
    expect(read.declaration).toBe(OtherDisk);
    expect(read.spec).toEqual({ size: 1 });
    expect((await state.get(Disk.at('a'))).declaration).toBe(Disk);
  });

  it('wraps a wrapped state once', () => {
    const { state, core } = setUp();
    expect(wrapState(state)).toBe(state);
    expect(state.core).toBe(core);
  });
});

describe('updateWithConflicts', () => {
  it('S8: starts again from the read on a version conflict', async () => {
    const { core, state } = setUp();
    let raced = false;
    core.before = (call) => {
      if (call !== 'update' || raced) return;
      raced = true;
      core.put(disk.withMetadata(disk.metadata.with({ version: 2n, labels: { other: 'write' } })));
    };
    const change = vi.fn((draft: TypedDraft<Spec>) => {
      draft.spec.size += 1;
    });
    const updated = await state.updateWithConflicts(Disk.at('a'), change);
    expect(change).toHaveBeenCalledTimes(2);
    expect(updated.spec.size).toBe(2);
    expect(updated.metadata.labels).toEqual({ other: 'write' });
    expect(updated.metadata.version).toBe(3n);
  });

  it('S8: a change of nothing writes nothing and gives back the present resource', async () => {
    const { core, state } = setUp();
    const same = await state.updateWithConflicts(Disk.at('a'), (draft) => {
      draft.spec.size = 2;
      draft.spec.size = 1;
      draft.metadata.labels.x = 'y';
      delete draft.metadata.labels.x;
    });
    expect(same).toBe(disk);
    expect(core.calls).toEqual(['get']);
  });

  it('S8: the expected phase is checked also when nothing changes', async () => {
    const { core, state } = setUp();
    core.put(disk.withMetadata(disk.metadata.with({ phase: 'tearingDown' })));
    const change = vi.fn();
    const refused = await state.updateWithConflicts(Disk.at('a'), change).catch((error: unknown) => error);
    expect(isPhaseConflict(refused)).toBe(true);
    expect(change).not.toHaveBeenCalled();
    await state.updateWithConflicts(Disk.at('a'), change, { expectedPhase: 'any' });
    expect(change).toHaveBeenCalledOnce();
  });

  it('S8: what the function throws ends it, and nothing is written', async () => {
    const { core, state } = setUp();
    await expect(
      state.updateWithConflicts(Disk.at('a'), async (draft) => {
        draft.spec.size = 9;
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(core.stored(Disk.at('a'))).toBe(disk);
  });
});

describe('modify', () => {
  it('S9: creates from an empty spec when the resource is absent', async () => {
    const { state } = setUp();
    const created = await state.modify(
      Disk.at('b'),
      (draft) => {
        draft.spec.size = 7;
        draft.metadata.labels.fresh = 'yes';
      },
      { owner: 'me' },
    );
    expect(created.spec.size).toBe(7);
    expect(created.metadata).toMatchObject({ owner: 'me', version: 1n, labels: { fresh: 'yes' } });
  });

  it('S9: begins with the resource given when it is absent', async () => {
    const { state } = setUp();
    const created = await state.modify(Disk.new('b', { size: 5 }), (draft) => {
      draft.spec.size += 1;
    });
    expect(created.spec.size).toBe(6);
  });

  it('S9: when it appears between the read and the create it is updated', async () => {
    const { core, state } = setUp();
    core.resources.clear();
    core.before = (call) => {
      if (call === 'create') core.put(disk);
    };
    const modified = await state.modify(Disk.at('a'), (draft) => {
      draft.spec.size = 3;
    });
    expect(modified.spec.size).toBe(3);
    expect(core.calls).toEqual(['get', 'create', 'get', 'update']);
  });

  it('S9: when it vanishes between the read and the update it is created', async () => {
    const { core, state } = setUp();
    let vanished = false;
    core.before = (call) => {
      if (call === 'update' && !vanished) core.resources.clear();
      vanished = call === 'update';
    };
    const modified = await state.modify(Disk.at('a'), (draft) => {
      draft.spec.size = 3;
    });
    expect(modified.metadata.version).toBe(1n);
  });

  it('S9: the absence of another resource, seen by the function, is an error', async () => {
    const { state } = setUp();
    const missing = await state
      .modify(Disk.at('a'), () => {
        throw new NotFoundError({ namespace: 'test', type: 'Disks.test.cosi.dev', id: 'other' });
      })
      .catch((error: unknown) => error);
    expect(isNotFound(missing)).toBe(true);
  });
});

describe('finalizers', () => {
  it('S11: a refusal that names the owner and means something else is not tried again for ever', async () => {
    const { core, state } = setUp();
    core.put(disk.withMetadata(disk.metadata.with({ owner: 'someone' })));
    const refused = new OwnerConflictError(Disk.at('a'), '', 'someone');
    core.before = (call) => {
      if (call === 'update') throw refused;
    };
    await expect(state.addFinalizer(Disk.at('a'), 'mine')).rejects.toBe(refused);
    expect(core.calls).toEqual(['get', 'update', 'get']);
  });

  it('S1: composed operations go on with what they were given', async () => {
    const { core, state } = setUp();
    for (const id of ['a', 'b']) core.put(Disk.new(id, { size: 1 }, { owner: 'me' }));
    const pointer = { ...Disk.at('a') };
    const options: UpdateOptions = { owner: 'me' };
    const names = ['f'];
    const runs: (() => Promise<unknown>)[] = [
      () => state.modify(pointer, (draft) => void draft.spec.size++, options),
      () => state.addFinalizer(pointer, names, options),
      () => state.removeFinalizer(pointer, 'f', options),
      () => state.teardown(pointer, options),
      () => state.teardownAndDestroy(pointer, options),
    ];
    for (const run of runs) {
      const running = run();
      pointer.id = 'b';
      names[0] = 'g';
      Object.assign(options, { owner: 'someone' });
      await running;
      pointer.id = 'a';
      names[0] = 'f';
      Object.assign(options, { owner: 'me' });
    }
    expect(core.stored(Disk.at('a'))).toBeUndefined();
    const other = core.stored(Disk.at('b'));
    expect(other?.metadata).toMatchObject({ version: undefined, phase: 'running', finalizers: [] });
  });

  it('S11: keeps the owner and the phase, retries, and writes nothing when there is nothing to do', async () => {
    const { core, state } = setUp();
    core.put(disk.withMetadata(disk.metadata.with({ owner: 'someone', phase: 'tearingDown' })));
    let raced = false;
    core.before = (call) => {
      if (call !== 'update' || raced) return;
      raced = true;
      core.put(disk.withMetadata(disk.metadata.with({ owner: 'someone', version: 4n, finalizers: ['theirs'] })));
    };
    await state.addFinalizer(Disk.at('a'), 'mine');
    expect(core.stored(Disk.at('a'))?.metadata).toMatchObject({ owner: 'someone', finalizers: ['theirs', 'mine'] });
    core.calls.length = 0;
    await state.addFinalizer(Disk.at('a'), ['mine', 'theirs']);
    await state.removeFinalizer(Disk.at('a'), 'unknown');
    expect(core.calls).toEqual(['get', 'get']);
    await state.removeFinalizer(Disk.at('a'), ['mine', 'theirs']);
    expect(core.stored(Disk.at('a'))?.metadata.finalizers).toEqual([]);
  });
});

describe('waiting', () => {
  it('S13: gives the resource of the event that meets all conditions', async () => {
    const { core, state } = setUp();
    const waiting = state.watchFor(Disk.at('a'), {
      phases: ['tearingDown'],
      finalizersEmpty: true,
      matches: (r) => r.spec.size > 1,
    });
    await vi.waitFor(() => expect(core.watches).toHaveLength(1));
    const torn = Disk.new('a', { size: 2 }, { phase: 'tearingDown' });
    core.watches[0]?.push({ type: 'created', resource: disk });
    core.watches[0]?.push({
      type: 'updated',
      resource: Disk.new('a', { size: 2 }, { phase: 'tearingDown', finalizers: ['f'] }),
    });
    core.watches[0]?.push({ type: 'destroyed', resource: torn });
    core.watches[0]?.push({ type: 'updated', resource: torn });
    expect(await waiting).toBe(torn);
    expect(core.watches[0]?.closed).toBe(true);
  });

  it('S13: an errored event rejects with its error', async () => {
    const { core, state } = setUp();
    const waiting = state.watchFor(Disk.at('a'), { events: ['destroyed'] });
    await vi.waitFor(() => expect(core.watches).toHaveLength(1));
    core.watches[0]?.push({ type: 'errored', error: new Error('overrun') });
    await expect(waiting).rejects.toThrow('overrun');
  });

  it('S14: the signal aborts with the error of the watch, and the watch is closed', async () => {
    const { core, state } = setUp();
    const signal = await state.signalWithTeardown(Disk.at('a'));
    core.watches[0]?.push({ type: 'created', resource: disk });
    core.watches[0]?.push({ type: 'errored', error: new Error('broken') });
    await vi.waitFor(() => expect(signal.aborted).toBe(true));
    expect((signal.reason as Error).message).toBe('broken');
    await vi.waitFor(() => expect(core.watches[0]?.closed).toBe(true));
  });
});

describe('teardown', () => {
  it('S10: checks the owner only when the phase is to change, and retries when another wrote', async () => {
    const { core, state } = setUp();
    core.put(disk.withMetadata(disk.metadata.with({ owner: 'them', finalizers: ['f'] })));
    await expect(state.teardown(Disk.at('a'))).rejects.toThrow('owned by "them"');
    expect(await state.teardown(Disk.at('a'), { owner: 'them' })).toBe(false);
    expect(await state.teardown(Disk.at('a'))).toBe(false);
    await expect(state.teardown(Disk.at('b'))).rejects.toThrow("doesn't exist");
  });

  it('S10: the native call is used where there is one', async () => {
    const core = Object.assign(new ScriptedCore(), { teardown: vi.fn(async () => true) });
    expect(await wrapState(core).teardown(Disk.at('a'), { owner: 'me' })).toBe(true);
    expect(core.teardown).toHaveBeenCalledWith(Disk.at('a'), { owner: 'me' });
    expect(core.calls).toEqual([]);
  });

  it('S12: that someone else destroys it while it waits is success', async () => {
    const { core, state } = setUp();
    core.put(disk.withMetadata(disk.metadata.with({ finalizers: ['f'] })));
    const done = state.teardownAndDestroy(Disk.at('a'));
    await vi.waitFor(() => expect(core.watches).toHaveLength(1));
    core.resources.clear();
    core.watches[0]?.push({ type: 'destroyed', resource: Disk.new('a', { size: 1 }, { phase: 'tearingDown' }) });
    await done;
    expect(core.calls).toContain('destroy');
  });

  it('S12: a new life of the id is left alone', async () => {
    const { core, state } = setUp();
    core.put(disk.withMetadata(disk.metadata.with({ finalizers: ['f'] })));
    const done = state.teardownAndDestroy(Disk.at('a'));
    await vi.waitFor(() => expect(core.watches).toHaveLength(1));
    core.put(disk);
    core.watches[0]?.push({ type: 'created', resource: disk });
    await done;
    expect(core.stored(Disk.at('a'))).toBe(disk);
  });

  it('S12: a finalizer that comes at the last moment is waited for', async () => {
    const { core, state } = setUp();
    const torn = disk.withMetadata(disk.metadata.with({ phase: 'tearingDown' }));
    core.put(torn);
    let refusals = 1;
    const { PendingFinalizersError } = await import('@cosi-ts/resource');
    core.before = (call) => {
      if (call === 'destroy' && refusals-- > 0) throw new PendingFinalizersError(Disk.at('a'), ['late']);
    };
    const done = state.teardownAndDestroy(Disk.at('a'));
    await vi.waitFor(() => expect(core.watches).toHaveLength(1));
    core.watches[0]?.push({
      type: 'updated',
      resource: torn.withMetadata(torn.metadata.with({ finalizers: ['late'] })),
    });
    core.watches[0]?.push({ type: 'updated', resource: torn });
    await done;
    expect(core.resources.size).toBe(0);
  });
});
