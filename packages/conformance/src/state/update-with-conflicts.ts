import type { Resource } from '@cosi-ts/resource';
import { equal, rejectsAs, rejectsWith, sameResource } from '../assertions.js';
import type { StateSuite } from '../state-suite.js';

export function updateWithConflictsTests({ it }: StateSuite): void {
  it('S8: updateWithConflicts changes a draft and writes it', async (t) => {
    const before = await t.create('a', 1, { labels: { kept: 'yes' } });
    const reader = await t.watchKind();
    const updated = await t.state.updateWithConflicts(t.at('a'), (draft) => {
      draft.spec.value += 1;
      draft.metadata.labels.added = 'yes';
    });
    equal([updated.metadata.version, updated.spec.value], [2n, 2], 'the version and the value');
    equal({ ...updated.metadata.labels }, { kept: 'yes', added: 'yes' }, 'the labels');
    sameResource(await t.core.get(t.at('a')), updated, 'what is stored');
    equal(t.valueOf(before), 1, 'the snapshot from before');
    await reader.expect('updated a@2');
    await t.quiet(reader);
  });

  it('S8: the function can be asynchronous, and replace the spec', async (t) => {
    await t.create('a', 1);
    const updated = await t.state.updateWithConflicts(t.at('a'), async (draft) => {
      await t.create('b');
      draft.spec = { value: 9, nested: { list: [1, 2] } };
    });
    equal(updated.spec, { value: 9, nested: { list: [1, 2] } }, 'the spec');
  });

  it('S8: without a change it gives back the present resource and writes no event', async (t) => {
    const stored = await t.create('a', 1, { labels: { x: '1' } });
    const reader = await t.watchKind();
    const same = await t.state.updateWithConflicts(t.at('a'), (draft) => {
      draft.spec.value = 2;
      draft.spec.value = 1;
      draft.metadata.labels.x = '1';
      draft.metadata.finalizers.remove('none');
    });
    sameResource(same, stored, 'what it gives back');
    await t.quiet(reader);
  });

  it('S8: the expected phase is checked also when nothing changes', async (t) => {
    await t.create('a', 1, { phase: 'tearingDown' });
    const nothing = () => undefined;
    const changing = (options?: Parameters<typeof t.state.updateWithConflicts>[2]) =>
      t.state.updateWithConflicts(t.at('a'), nothing, options);
    await rejectsWith(changing(), 'phase-conflict', 'a change of nothing', t.at('a'));
    await rejectsWith(changing({ expectedPhase: 'running' }), 'phase-conflict', 'a change of nothing', t.at('a'));
    equal((await changing({ expectedPhase: 'tearingDown' })).metadata.version, 1n, 'the version');
    equal((await changing({ expectedPhase: 'any' })).metadata.version, 1n, 'the version');
  });

  it('S8: the function is not called when the phase is not the expected one', async (t) => {
    await t.create('a', 1, { phase: 'tearingDown' });
    let calls = 0;
    const changing = t.state.updateWithConflicts(t.at('a'), (draft) => {
      calls++;
      draft.spec.value++;
    });
    await rejectsWith(changing, 'phase-conflict', 'the change');
    equal(calls, 0, 'the calls of the function');
  });

  it('S8: on a version conflict it starts again from the read', async (t) => {
    const stored = await t.create('a', 1);
    const seen: number[] = [];
    const updated = await t.state.updateWithConflicts(t.at('a'), async (draft) => {
      seen.push(draft.spec.value);
      if (seen.length === 1) await t.setValue(stored, 10);
      draft.spec.value += 1;
    });
    equal(seen, [1, 10], 'the values that the function saw');
    equal([updated.spec.value, updated.metadata.version], [11, 3n], 'the value and the version');
  });

  it('S8: an owner conflict ends it', async (t) => {
    const stored = await t.create('a', 1, { owner: 'me' });
    const changing = t.state.updateWithConflicts(t.at('a'), (draft) => void draft.spec.value++, { owner: 'you' });
    await rejectsWith(changing, 'owner-conflict', 'the change', t.at('a'));
    sameResource(await t.core.get(t.at('a')), stored, 'what is stored');
    const mine = await t.state.updateWithConflicts(t.at('a'), (draft) => void draft.spec.value++, { owner: 'me' });
    equal(mine.spec.value, 2, "the value after the owner's change");
  });

  it('S8: a phase that changes meanwhile ends it', async (t) => {
    const stored = await t.create('a', 1);
    let calls = 0;
    const changing = t.state.updateWithConflicts(t.at('a'), async (draft) => {
      calls++;
      if (calls === 1) await t.change(stored, { phase: 'tearingDown' });
      draft.spec.value++;
    });
    await rejectsWith(changing, 'phase-conflict', 'the change', t.at('a'));
    equal(t.valueOf(await t.core.get(t.at('a'))), 1, 'the stored value');
  });

  it('S8: what the function throws ends it, and nothing is written', async (t) => {
    const stored = await t.create('a', 1);
    const reason = new Error('no');
    const changing = t.state.updateWithConflicts(t.at('a'), (draft) => {
      draft.spec.value = 5;
      throw reason;
    });
    await rejectsAs(changing, reason, 'the change');
    sameResource(await t.core.get(t.at('a')), stored, 'what is stored');
  });

  it('S8: it is not-found when the resource is absent', async (t) => {
    const changing = t.state.updateWithConflicts(t.at('a'), (draft) => void draft.spec.value++);
    await rejectsWith(changing, 'not-found', 'the change', t.at('a'));
  });

  it('S8, R16: it changes the metadata of a resource whose type it does not know', async (t) => {
    await t.create('a', 5);
    const { namespace, type } = t.kind;
    const changed: Resource = await t.state.updateWithConflicts({ namespace, type, id: 'a' }, (draft) => {
      draft.metadata.labels.seen = 'yes';
    });
    equal([changed.metadata.version, { ...changed.metadata.labels }], [2n, { seen: 'yes' }], 'version and labels');
    equal(t.valueOf(changed), 5, 'the spec');
  });
}
