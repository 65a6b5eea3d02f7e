import { isConflict } from '@cosi-ts/resource';
import { check, equal, rejectsWith, sameResource } from '../assertions.js';
import { Others } from '../items.js';
import type { StateSuite } from '../state-suite.js';

export function destroyTests({ it, features }: StateSuite): void {
  it('S6: a destroyed resource is gone', async (t) => {
    await t.create('a');
    await t.create('b');
    equal(await t.core.destroy(t.at('a')), undefined, 'what destroy gives');
    await rejectsWith(t.core.get(t.at('a')), 'not-found', 'get afterwards', t.at('a'));
    equal(
      (await t.core.list(t.kind)).map(({ metadata }) => metadata.id),
      ['b'],
      'the list',
    );
  });

  it('S6: destroy removes that resource only', async (t) => {
    await t.create('a');
    const other = await t.core.create(Others.new('a', { value: 1 }));
    await t.core.destroy(t.at('a'));
    sameResource(await t.core.get(Others.at('a')), other, 'the resource of the other type');
  });

  it('S6, S7, S20: destroy of what is absent is not-found', async (t) => {
    await t.create('b');
    await rejectsWith(t.core.destroy(t.at('a')), 'not-found', 'destroy of an absent resource', t.at('a'));
    await t.core.destroy(t.at('b'));
    await rejectsWith(t.core.destroy(t.at('b')), 'not-found', 'a second destroy', t.at('b'));
  });

  for (const [owner, given] of [
    ['me', undefined],
    ['me', 'you'],
    ['', 'me'],
  ] as const) {
    it(`S6, S7: what ${owner || 'nobody'} owns is not destroyed on behalf of ${given ?? 'nobody'}`, async (t) => {
      const stored = await t.create('a', 1, { owner });
      const reader = await t.watchKind();
      const error = await rejectsWith(
        t.core.destroy(t.at('a'), { owner: given }),
        'owner-conflict',
        'destroy',
        t.at('a'),
      );
      check(isConflict(error), 'the error must be a conflict');
      sameResource(await t.core.get(t.at('a')), stored, 'what is stored');
      await t.quiet(reader);
    });
  }

  it('S6: the owner can destroy', async (t) => {
    await t.create('a', 1, { owner: 'me' });
    await t.core.destroy(t.at('a'), { owner: 'me' });
    await rejectsWith(t.core.get(t.at('a')), 'not-found', 'get afterwards');
  });

  it('S6, S7: pending finalizers are a conflict that lists them, and nothing changes', async (t) => {
    const stored = await t.create('a', 1, { finalizers: ['first-holder', 'second-holder'] });
    const reader = await t.watchKind();
    const code = features.errorCodes ? 'pending-finalizers' : 'conflict';
    const error = await rejectsWith(t.core.destroy(t.at('a')), code, 'destroy', t.at('a'));
    check(isConflict(error), 'the error must be a conflict');
    for (const name of stored.metadata.finalizers) {
      check(error.message.includes(name), `"${error.message}" must name ${name}`);
    }
    sameResource(await t.core.get(t.at('a')), stored, 'what is stored');
    await t.quiet(reader);
  });

  it('S6: the owner is checked before the finalizers', async (t) => {
    await t.create('a', 1, { owner: 'me', finalizers: ['f'] });
    await rejectsWith(t.core.destroy(t.at('a')), 'owner-conflict', 'destroy', t.at('a'));
  });

  for (const phase of ['running', 'tearingDown'] as const) {
    it(`S6: destroy works in phase ${phase}`, async (t) => {
      await t.create('a', 1, { phase });
      await t.core.destroy(t.at('a'));
      await rejectsWith(t.core.get(t.at('a')), 'not-found', 'get afterwards');
    });
  }

  it('S6: once the finalizers are gone it can be destroyed', async (t) => {
    const stored = await t.create('a', 1, { finalizers: ['f'] });
    await t.change(stored, { finalizers: [] });
    await t.core.destroy(t.at('a'));
    await rejectsWith(t.core.get(t.at('a')), 'not-found', 'get afterwards');
  });
}
