import { defineResource, isDenied } from '@cosi-ts/resource';
import { filter, verbs, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { accessRule } from './access-rule.js';
import { Roles } from './roles.js';

const Disk = defineResource<{ size: number }>({ type: 'Disks.test', namespace: 'a' });

const roles = Roles.from({
  roles: { web: [{ verbs: ['*'], namespaces: ['a'], types: ['Disks.test'], ids: ['web-.*'] }] },
  bindings: { carol: ['web'] },
});

describe('accessRule', () => {
  it('A1: says whom it denies what', () => {
    const rule = accessRule(roles);
    const asked = { verb: verbs.get, namespace: 'a', type: 'Disks.test', id: 'db-1' };
    expect(() => rule(asked, { identity: 'carol' })).toThrow(/get of .*db-1.* no role of "carol" allows it/);
    expect(() => rule(asked, {})).toThrow(/no identity/);
    expect(rule({ ...asked, id: 'web-1' }, { identity: 'carol' })).toBeUndefined();
  });

  it('A1: roles can change while they are in use', async () => {
    let current = roles;
    const state = wrapState(
      filter(
        new InMemoryState(),
        accessRule(() => current),
      ),
    );
    const context = { identity: 'dave' };
    const create = () => state.create(Disk.new('x', { size: 1 }), { context });
    expect(isDenied(await create().catch((error: unknown) => error))).toBe(true);
    current = Roles.from({
      roles: { all: [{ verbs: ['*'], namespaces: ['*'], types: ['*'] }] },
      bindings: { '*': ['all'] },
    });
    expect((await create()).metadata.id).toBe('x');
  });

  it('A1: what are no roles is refused, or denies', () => {
    const asked = { verb: verbs.get, namespace: 'a', type: 'Disks.test', id: 'web-1' };
    const always = { allows: async () => true };
    for (const none of [undefined, null, {}, { roles: {}, bindings: {} }, Promise.resolve(roles)]) {
      expect(() => accessRule(none as never)).toThrow(/^access rules need roles/);
      expect(() => accessRule((() => none) as never)(asked, { identity: 'carol' })).toThrow(/^access rules need roles/);
    }
    expect(() => accessRule(always as never)(asked, { identity: 'carol' })).toThrow(/denied/);
    const failing = accessRule(() => {
      throw new Error('there is no file');
    });
    expect(() => failing(asked, { identity: 'carol' })).toThrow('there is no file');
  });

  it('A3: bulk writes are judged one by one', async () => {
    const core = new InMemoryState();
    const state = wrapState(filter(core, accessRule(roles)));
    const outcomes = await state.writeMany(
      ['web-1', 'db-1', 'web-2'].map((id) => ({ type: 'create' as const, resource: Disk.new(id, { size: 1 }) })),
      { context: { identity: 'carol' } },
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await core.list(Disk.kind)).map(({ metadata }) => metadata.id)).toEqual(['web-1', 'web-2']);
  });
});
