import { type CosiError, isNotFound } from '@cosi-ts/resource';
import { equal, rejectsAs, rejectsWith, sameResource } from '../assertions.js';
import { Items, Others } from '../items.js';
import type { StateSuite } from '../state-suite.js';

export function modifyTests({ it }: StateSuite): void {
  it('S9: modify creates the resource from what the function makes', async (t) => {
    const made = await t.state.modify(t.at('a'), (draft) => {
      draft.spec.value = 7;
      draft.metadata.labels.x = 'y';
    });
    equal([made.metadata.version, made.spec.value], [1n, 7], 'version and value');
    equal({ ...made.metadata.labels }, { x: 'y' }, 'the labels');
    sameResource(await t.core.get(t.at('a')), made, 'what is stored');
  });

  it('S9: modify creates it for the owner, and updates it for the owner only', async (t) => {
    const set = (value: number, owner?: string) =>
      t.state.modify(
        t.at('a'),
        (draft) => {
          draft.spec.value = value;
        },
        { owner },
      );
    equal((await set(1, 'me')).metadata.owner, 'me', 'the owner');
    equal((await set(2, 'me')).spec.value, 2, 'the value after the second change');
    await rejectsWith(set(3, 'you'), 'owner-conflict', 'a change by somebody else', t.at('a'));
    await rejectsWith(set(3), 'owner-conflict', 'a change by nobody', t.at('a'));
  });

  it('S9: modify updates the resource that is there', async (t) => {
    await t.create('a', 1, { labels: { kept: 'yes' } });
    const reader = await t.watchKind();
    const changed = await t.state.modify(t.at('a'), (draft) => void draft.spec.value++);
    equal([changed.metadata.version, changed.spec.value], [2n, 2], 'version and value');
    equal({ ...changed.metadata.labels }, { kept: 'yes' }, 'the labels');
    await reader.expect('updated a@2');
  });

  it('S9: modify without a change writes no event', async (t) => {
    const stored = await t.create('a', 1);
    const reader = await t.watchKind();
    sameResource(await t.state.modify(t.at('a'), () => undefined), stored, 'what it gives back');
    await t.quiet(reader);
  });

  it('S9: what appears between the read and the create is updated', async (t) => {
    const seen: (number | undefined)[] = [];
    const changed = await t.state.modify(t.at('a'), async (draft) => {
      seen.push(draft.metadata.version === undefined ? undefined : draft.spec.value);
      if (seen.length === 1) await t.create('a', 10);
      draft.spec.value = (draft.spec.value ?? 0) + 1;
    });
    equal(seen, [undefined, 10], 'the values that the function saw');
    equal([changed.spec.value, changed.metadata.version], [11, 2n], 'value and version');
  });

  it('S9: what vanishes between the read and the update is created', async (t) => {
    await t.create('a', 10);
    let calls = 0;
    const changed = await t.state.modify(t.at('a'), async (draft) => {
      calls++;
      if (calls === 1) await t.core.destroy(t.at('a'));
      draft.spec.value = 3;
    });
    equal([changed.spec.value, changed.metadata.version], [3, 1n], 'value and version');
  });

  it('S9: many modify at once make one resource with all their changes', async (t) => {
    const one = () =>
      t.state.modify(t.at('a'), (draft) => {
        draft.spec.value = (draft.spec.value ?? 0) + 1;
      });
    await Promise.all(Array.from({ length: 10 }, one));
    const stored = await t.core.get(t.at('a'));
    equal([t.valueOf(stored), stored.metadata.version], [10, 10n], 'value and version');
  });

  it('S9: modify keeps to phase running unless told otherwise', async (t) => {
    await t.create('a', 1, { phase: 'tearingDown' });
    const set = (options?: Parameters<typeof t.state.modify>[2]) =>
      t.state.modify(t.at('a'), (draft) => void draft.spec.value++, options);
    await rejectsWith(set(), 'phase-conflict', 'a change of what is tearing down', t.at('a'));
    equal((await set({ expectedPhase: 'any' })).spec.value, 2, 'the value after a change in any phase');
  });

  it('S9: what the function throws ends it, and nothing is created', async (t) => {
    const reason = new Error('no');
    const changing = t.state.modify(t.at('a'), () => {
      throw reason;
    });
    await rejectsAs(changing, reason, 'the change');
    await rejectsWith(t.core.get(t.at('a')), 'not-found', 'get afterwards');
  });

  it("S9: that something else is absent is an error of the function's own", async (t) => {
    let error: CosiError | undefined;
    const changing = t.state.modify(t.at('a'), async () => {
      error = await t.core.get(Others.at('needed')).catch((reason) => reason);
      throw error;
    });
    await rejectsWith(changing, 'not-found', 'the change', Others.at('needed'));
    equal(isNotFound(error), true, 'that the function saw it');
  });

  it('S9, R16: modify begins with a resource that is given', async (t) => {
    const given = t.item('a', 4, { labels: { from: 'given' } });
    const made = await t.state.modify(given, (draft) => {
      draft.metadata.labels.more = 'yes';
    });
    equal({ ...made.metadata.labels }, { from: 'given', more: 'yes' }, 'the labels');
    equal(Items.from(made).spec.value, 4, 'the value');
    const again = await t.state.modify(given, (draft) => void draft.spec.value++);
    equal([again.spec.value, again.metadata.version], [5, 2n], 'value and version of what is there');
  });
}
