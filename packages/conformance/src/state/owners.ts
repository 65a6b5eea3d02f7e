import { ownedState } from '@cosi-ts/state';
import { equal, rejectsWith } from '../assertions.js';
import type { StateSuite } from '../state-suite.js';

export function ownedStateTests({ it }: StateSuite): void {
  it('A2: create sets the owner, or none', async (t) => {
    const mine = ownedState(t.state, 'me');
    equal((await mine.create(t.item('a'))).metadata.owner, 'me', 'the owner');
    equal((await mine.create(t.item('b'), { owner: '' })).metadata.owner, '', 'the owner when there shall be none');
  });

  it('A2: update checks the owner', async (t) => {
    const mine = ownedState(t.state, 'me');
    const own = await mine.create(t.item('a'));
    const theirs = await t.create('b', 1, { owner: 'you' });
    const nobodys = await t.create('c');
    equal((await mine.update(own)).metadata.version, 2n, "the version of one's own");
    await rejectsWith(mine.update(theirs), 'owner-conflict', "update of another's", t.at('b'));
    await rejectsWith(mine.update(nobodys), 'owner-conflict', "update of nobody's", t.at('c'));
    equal((await mine.update(nobodys, { owner: '' })).metadata.version, 2n, "the version of nobody's");
  });

  it('A2: destroy checks the owner, and can name another', async (t) => {
    const mine = ownedState(t.state, 'me');
    await mine.create(t.item('a'));
    await t.create('b', 1, { owner: 'you' });
    await t.create('c');
    await rejectsWith(mine.destroy(t.at('b')), 'owner-conflict', "destroy of another's", t.at('b'));
    await rejectsWith(mine.destroy(t.at('c')), 'owner-conflict', "destroy of nobody's", t.at('c'));
    await mine.destroy(t.at('a'));
    await mine.destroy(t.at('b'), { owner: 'you' });
    await mine.destroy(t.at('c'), { owner: '' });
    equal(await t.core.list(t.kind), [], 'what is left');
  });

  it('A2: teardown checks the owner, and can name another', async (t) => {
    const mine = ownedState(t.state, 'me');
    await mine.create(t.item('a'));
    await t.create('b', 1, { owner: 'you' });
    await t.create('c');
    await rejectsWith(mine.teardown(t.at('b')), 'owner-conflict', "teardown of another's", t.at('b'));
    await rejectsWith(mine.teardown(t.at('c')), 'owner-conflict', "teardown of nobody's", t.at('c'));
    equal(await mine.teardown(t.at('a')), true, "the answer for one's own");
    equal(await mine.teardown(t.at('b'), { owner: 'you' }), true, "the answer for another's");
    equal(await mine.teardown(t.at('c'), { owner: '' }), true, "the answer for nobody's");
  });

  it('A2: modify defaults to the owner and to phase running', async (t) => {
    const mine = ownedState(t.state, 'me');
    const bump = (id: string, options?: Parameters<typeof mine.modify>[2]) =>
      mine.modify(
        t.at(id),
        (draft) => {
          draft.spec.value = (draft.spec.value ?? 0) + 1;
        },
        options,
      );
    equal((await bump('a')).metadata.owner, 'me', 'the owner of what it creates');
    equal((await bump('a')).spec.value, 2, 'the value after a second change');
    await t.create('b', 1, { owner: 'you' });
    await rejectsWith(bump('b'), 'owner-conflict', "modify of another's", t.at('b'));
    await mine.teardown(t.at('a'));
    await rejectsWith(bump('a'), 'phase-conflict', 'modify of what is tearing down', t.at('a'));
    equal((await bump('a', { expectedPhase: 'any' })).spec.value, 3, 'the value after a change in any phase');
    equal((await bump('c', { owner: '' })).metadata.owner, '', 'the owner when there shall be none');
  });

  it('A2: finalizers can be changed on the resources of other owners', async (t) => {
    const mine = ownedState(t.state, 'me');
    await t.create('a', 1, { owner: 'you' });
    await mine.addFinalizer(t.at('a'), 'me');
    const { metadata } = await t.core.get(t.at('a'));
    equal([metadata.owner, metadata.finalizers], ['you', ['me']], 'owner and finalizers');
    await mine.removeFinalizer(t.at('a'), 'me');
    equal((await t.core.get(t.at('a'))).metadata.finalizers, [], 'the finalizers');
  });

  it('A2: reads are those of the state', async (t) => {
    const mine = ownedState(t.state, 'me');
    await t.create('a', 1, { owner: 'you' });
    equal((await mine.get(t.at('a'))).metadata.owner, 'you', 'the owner of what it reads');
    equal((await mine.list(t.kind)).length, 1, 'the length of the list');
    const watch = await mine.watchKind(t.kind, { bootstrapContents: true });
    t.cleanup(() => watch.close());
    equal((await watch.next()).value?.type, 'created', 'the first event');
  });
}
