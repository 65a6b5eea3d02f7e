import { defineResource, isDenied, type Pointer } from '@cosi-ts/resource';
import { describe, expect, it, vi } from 'vitest';
import { canTeardown, canTeardownAndDestroy } from './capabilities.js';
import { type Access, type AccessRule, denied, filter, verbs } from './filter.js';
import { refusedAccess } from './refusal.js';
import { wrapState } from './state.js';
import { ScriptedCore } from './testing/scripted-core.js';

const Disk = defineResource<{ size: number }>({ type: 'Disks.test.cosi.dev', namespace: 'test' });
const disk = Disk.new('a', { size: 1 });

function recorder() {
  const seen: string[] = [];
  const rule: AccessRule = ({ namespace, type, id, verb }, { identity }) =>
    void seen.push(`${identity ?? 'nobody'} ${verb.name}${verb.readonly ? '' : '!'} ${namespace}/${type}/${id ?? '*'}`);
  return { seen, rule };
}

describe('the filter', () => {
  it('A1: asks the rule before each operation, with the context of the call', async () => {
    const core = new ScriptedCore();
    const { seen, rule } = recorder();
    const state = filter(core, rule);
    const context = { identity: 'ann' };
    await state.create(disk, { context });
    await state.get(Disk.at('a'), { context });
    await state.list(Disk.kind);
    await (await state.watch(Disk.at('a'))).close();
    await (await state.watchKind(Disk.kind)).close();
    await state.update(core.stored(disk.metadata) ?? disk);
    await state.destroy(Disk.at('a'), { context });
    const where = 'test/Disks.test.cosi.dev';
    expect(seen).toEqual([
      `ann create! ${where}/a`,
      `ann get ${where}/a`,
      `nobody list ${where}/*`,
      `nobody watch ${where}/a`,
      `nobody watch ${where}/*`,
      `nobody update! ${where}/a`,
      `ann destroy! ${where}/a`,
    ]);
  });

  it('A1: what the rule throws reaches the caller, and nothing is called', async () => {
    const core = new ScriptedCore();
    const state = filter(core, (access) => {
      throw denied(access, 'on holidays');
    });
    const refused = await state.list(Disk.kind).catch((error: unknown) => error);
    expect(isDenied(refused)).toBe(true);
    expect((refused as Error).message).toBe('list of Disks.test.cosi.dev(test) denied: on holidays');
    expect(core.calls).toEqual([]);
  });

  it('A1: composed operations ask as they go', async () => {
    const core = new ScriptedCore();
    core.put(disk.withMetadata(disk.metadata.with({ version: 1n })));
    const asked: string[] = [];
    const rule = (access: Access) => {
      asked.push(access.verb.name);
      if (access.verb.name === 'destroy') throw denied(access);
    };
    const state = wrapState(filter(core, rule));
    await expect(state.teardownAndDestroy(Disk.at('a'))).rejects.toThrow('denied');
    expect(asked).toEqual(['get', 'update', 'destroy']);
    expect(core.stored(disk.metadata)?.metadata.phase).toBe('tearingDown');
  });

  it('A1: native operations ask for all their verbs before the first step', async () => {
    const native = { teardown: vi.fn(async () => true), teardownAndDestroy: vi.fn(async () => {}) };
    const asked: string[] = [];
    const guarded = filter(Object.assign(new ScriptedCore(), native), (access) => {
      asked.push(access.verb.name);
      if (access.verb.name === 'destroy') throw denied(access);
    });
    const state = wrapState(guarded);
    expect(await state.teardown(Disk.at('a'))).toBe(true);
    await expect(state.teardownAndDestroy(Disk.at('a'))).rejects.toThrow('denied');
    expect(asked).toEqual(['get', 'update', 'get', 'update', 'watch', 'destroy']);
    expect(native.teardownAndDestroy).not.toHaveBeenCalled();
  });

  it('A1: a capability that it does not know is not passed on', () => {
    const core = Object.assign(new ScriptedCore(), { format: () => {} });
    const guarded = filter(core, () => {});
    expect('format' in guarded).toBe(false);
    expect(canTeardown(guarded)).toBe(false);
    expect(canTeardownAndDestroy(guarded)).toBe(false);
  });

  it('S1: a call that is aborted while the rule decides has no effect', async () => {
    const core = new ScriptedCore();
    const controller = new AbortController();
    const state = filter(core, async () => controller.abort(new Error('stop')));
    await expect(state.create(disk, { signal: controller.signal })).rejects.toThrow('stop');
    expect(core.calls).toEqual([]);
  });

  it('A1: what is called is what the rule was asked about, whatever becomes of the arguments', async () => {
    const core = new ScriptedCore();
    const native = { teardown: vi.fn(async () => true), teardownAndDestroy: vi.fn(async () => {}) };
    core.put(disk);
    core.put(Disk.new('secret', { size: 2 }));
    const state = filter(Object.assign(core, native), (access) => {
      if (access.id === 'secret') throw denied(access);
    });
    const mine = { ...disk.metadata };
    const getting = state.get(mine);
    mine.id = 'secret';
    expect((await getting).metadata.id).toBe('a');
    let reads = 0;
    const turning = {
      ...disk.metadata,
      get id() {
        return reads++ === 0 ? 'a' : 'secret';
      },
    };
    for (const call of ['teardown', 'teardownAndDestroy'] as const) {
      reads = 0;
      await (state as unknown as typeof native & Record<typeof call, (at: Pointer) => Promise<unknown>>)[call](turning);
      expect(native[call]).toHaveBeenCalledWith(expect.objectContaining({ id: 'a' }), {});
    }
    reads = 0;
    await state.destroy(turning);
    expect([...core.resources.values()].map(({ metadata }) => metadata.id)).toEqual(['secret']);
  });
});

describe('refusedAccess', () => {
  it('A1: tells what a rule threw from what comes from elsewhere', async () => {
    const refusal = Object.freeze(new Error('out of office'));
    const state = filter(new ScriptedCore(), () => {
      throw refusal;
    });
    const pointer = { namespace: 'a', type: 'T', id: 'x' };
    expect(await state.get(pointer).catch((error: unknown) => error)).toBe(refusal);
    expect(refusedAccess(refusal)).toEqual({ ...pointer, verb: verbs.get });
    const absent = await new ScriptedCore().get(pointer).catch((error: unknown) => error);
    for (const other of [absent, new Error('out of office'), undefined, null, 'text', 1]) {
      expect(refusedAccess(other)).toBeUndefined();
    }
  });

  it('A1: a text that is thrown reaches the caller, too', async () => {
    const state = filter(new ScriptedCore(), () => Promise.reject('no'));
    const [kind, context] = [{ namespace: 'a', type: 'T' }, Object.freeze({ identity: 'ann' })];
    expect(await state.list(kind, { context }).catch((error: unknown) => error)).toBe('no');
    expect(refusedAccess('no', context)).toEqual({ ...kind, verb: verbs.list });
    for (const [other, where] of [
      ['no', { identity: 'ann' }],
      ['no', undefined],
      ['yes', context],
      [undefined, context],
    ] as const) {
      expect(refusedAccess(other, where)).toBeUndefined();
    }
  });
});
