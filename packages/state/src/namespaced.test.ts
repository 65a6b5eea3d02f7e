import { defineResource, isClosed } from '@cosi-ts/resource';
import { describe, expect, it, vi } from 'vitest';
import { namespaced } from './namespaced.js';
import { ScriptedCore } from './testing/scripted-core.js';

const Disk = defineResource<{ size: number }>({ type: 'Disks.test.cosi.dev', namespace: 'a' });

describe('namespaced states', () => {
  it('S15: a namespace is built once, on first use, however many calls race', async () => {
    const build = vi.fn(async () => new ScriptedCore());
    const state = namespaced(build);
    expect(build).not.toHaveBeenCalled();
    await Promise.all([state.list(Disk.kind), state.list(Disk.kind), state.create(Disk.new('x', { size: 1 }))]);
    expect(build.mock.calls).toEqual([['a']]);
    await state.list(Disk.in('b'));
    expect(build.mock.calls).toEqual([['a'], ['b']]);
    expect(state.namespaces).toEqual(['a', 'b']);
  });

  it('S15: namespaces do not see each other', async () => {
    const state = namespaced(() => new ScriptedCore());
    await state.create(Disk.new('x', { size: 1 }));
    expect(await state.list(Disk.in('b'))).toEqual([]);
    await expect(state.get(Disk.at('x', 'b'))).rejects.toThrow("doesn't exist");
  });

  it('S15: a builder that fails is tried again by the next call', async () => {
    const build = vi.fn(() => new ScriptedCore());
    build.mockImplementationOnce(() => {
      throw new Error('disk is away');
    });
    const state = namespaced(build);
    const first = await Promise.allSettled([state.list(Disk.kind), state.list(Disk.kind)]);
    expect(first.map((result) => result.status)).toEqual(['rejected', 'rejected']);
    expect(await state.list(Disk.kind)).toEqual([]);
    expect(build).toHaveBeenCalledTimes(2);
  });

  it('S1: an aborted call does not wait for the store, and leaves it to the others', async () => {
    const build = vi.fn(async () => new ScriptedCore());
    const state = namespaced(build);
    await expect(state.list(Disk.kind, { signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop');
    expect(build).not.toHaveBeenCalled();
  });

  it('closes what was built, once, and refuses calls afterwards', async () => {
    const closed = vi.fn(async () => {});
    const state = namespaced(() => Object.assign(new ScriptedCore(), { close: closed }));
    await state.list(Disk.kind);
    await state.list(Disk.in('b'));
    await Promise.all([state.close(), state.close()]);
    expect(closed).toHaveBeenCalledTimes(2);
    expect(isClosed(await state.list(Disk.kind).catch((error: unknown) => error))).toBe(true);
  });

  it('closes the others when one fails to close, and says so', async () => {
    const closed = vi.fn(async () => {});
    const state = namespaced((namespace) =>
      Object.assign(new ScriptedCore(), {
        close: namespace === 'a' ? () => Promise.reject(new Error('stuck')) : closed,
      }),
    );
    await state.list(Disk.kind);
    await state.list(Disk.in('b'));
    await expect(state.close()).rejects.toThrow(AggregateError);
    expect(closed).toHaveBeenCalledOnce();
  });

  it('S1: while a store is built, calls keep what they were given', async () => {
    const stores: Record<string, ScriptedCore> = { a: new ScriptedCore(), b: new ScriptedCore() };
    for (const [namespace, store] of Object.entries(stores)) {
      for (const id of ['x', 'y']) store.put(Disk.new(id, { size: 1 }, { namespace }));
    }
    const state = namespaced(async (namespace) => stores[namespace] as ScriptedCore);
    const pointer = { ...Disk.at('x') };
    const destroying = state.destroy(pointer);
    Object.assign(pointer, { namespace: 'b', id: 'y' });
    await destroying;
    const left = Object.values(stores).map((store) => [...store.resources.values()].map(({ metadata }) => metadata.id));
    expect(left).toEqual([['y'], ['x', 'y']]);
  });
});
