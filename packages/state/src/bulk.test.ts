import { defineResource } from '@cosi-ts/resource';
import { describe, expect, it, vi } from 'vitest';
import { writeTogether } from './bulk.js';
import { denied, filter } from './filter.js';
import { namespaced } from './namespaced.js';
import { wrapState } from './state.js';
import { ScriptedCore } from './testing/scripted-core.js';

const Disk = defineResource<{ size: number }>({ type: 'Disks.test.cosi.dev', namespace: 'test' });
const creates = ['a', 'b', 'c'].map((id) => ({ type: 'create' as const, resource: Disk.new(id, { size: 1 }) }));

/** A core that can make many writes at once, and notes how many it was given. */
function bulkCore() {
  const core = new ScriptedCore();
  const given: number[] = [];
  return Object.assign(core, {
    given,
    writeMany: vi.fn(async (writes: Parameters<typeof writeTogether>[1], options = {}) => {
      given.push(writes.length);
      return writeTogether(core, writes, options);
    }),
  });
}

describe('many writes', () => {
  it('S18: go to the state in one call when it can make them, typed as the resources that were given', async () => {
    const core = bulkCore();
    const outcomes = await wrapState(core).writeMany(creates);
    expect(core.given).toEqual([3]);
    expect(outcomes.map((each) => each.status === 'fulfilled' && Disk.from(each.value as never).spec.size)).toEqual([
      1, 1, 1,
    ]);
  });

  it('S18: go one by one when it cannot, and the rest is rejected when the signal aborts', async () => {
    const core = new ScriptedCore();
    const controller = new AbortController();
    core.before = () => core.calls.length === 2 && controller.abort(new Error('enough'));
    const outcomes = await wrapState(core).writeMany(creates, { signal: controller.signal });
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(core.calls).toEqual(['create', 'create']);
  });

  it('S18: go to their namespaces, and a store that cannot be built fails its own only', async () => {
    const cores = { x: bulkCore(), y: bulkCore() };
    const state = wrapState(
      namespaced((namespace) => {
        if (namespace === 'z') throw new Error('no such disk');
        return cores[namespace as 'x' | 'y'];
      }),
    );
    const outcomes = await state.writeMany(
      ['x', 'z', 'y', 'x'].map((namespace, i) => ({
        type: 'create' as const,
        resource: Disk.new(`d${i}`, { size: i }, { namespace }),
      })),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect([cores.x.given, cores.y.given]).toEqual([[2], [1]]);
  });

  it('S18, A1: are asked about one by one, and what is denied is not passed on', async () => {
    const core = bulkCore();
    const guarded = filter(core, (access) => {
      if (access.id === 'b') throw denied(access);
    });
    const outcomes = await wrapState(guarded).writeMany(creates);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(core.given).toEqual([2]);
    expect('writeMany' in filter(new ScriptedCore(), () => {})).toBe(false);
  });

  it('S18: what becomes of the list and its entries after the call does not matter', async () => {
    const core = bulkCore();
    const write = { type: 'destroy' as const, pointer: { ...Disk.at('a') } };
    core.put(Disk.new('a', { size: 1 }));
    core.put(Disk.new('b', { size: 1 }));
    const list = [write];
    const written = wrapState(core).writeMany(list);
    write.pointer.id = 'b';
    list.length = 0;
    expect(await written).toHaveLength(1);
    expect([core.stored(Disk.at('a')), core.stored(Disk.at('b'))?.metadata.id]).toEqual([undefined, 'b']);
  });
});
