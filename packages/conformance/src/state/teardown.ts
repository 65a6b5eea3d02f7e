import { equal, rejectsWith, sameResource } from '../assertions.js';
import type { StateSuite } from '../state-suite.js';

export function teardownTests({ it, itIf, features }: StateSuite): void {
  it('S10, S20: teardown of what is absent is not-found', async (t) => {
    await rejectsWith(t.state.teardown(t.at('a')), 'not-found', 'teardown', t.at('a'));
  });

  it('S10: teardown sets the phase, and says that nothing holds the resource', async (t) => {
    await t.create('a', 3, { labels: { x: 'y' } });
    const reader = await t.watchKind();
    equal(await t.state.teardown(t.at('a')), true, 'that there are no finalizers');
    const { metadata } = await t.core.get(t.at('a'));
    equal([metadata.phase, metadata.version], ['tearingDown', 2n], 'phase and version');
    equal({ ...metadata.labels }, { x: 'y' }, 'the labels');
    equal(t.valueOf(await t.core.get(t.at('a'))), 3, 'the spec');
    await reader.expect('updated a@2');
  });

  it('S10: teardown says that finalizers hold the resource', async (t) => {
    const stored = await t.create('a', 1, { finalizers: ['f', 'g'] });
    equal(await t.state.teardown(t.at('a')), false, 'that there are no finalizers');
    const { metadata } = await t.core.get(t.at('a'));
    equal(metadata.finalizers, stored.metadata.finalizers, 'the finalizers');
  });

  it('S10: teardown of what is tearing down changes nothing and answers', async (t) => {
    const stored = await t.create('a', 1, { phase: 'tearingDown', finalizers: ['f'] });
    const reader = await t.watchKind();
    equal(await t.state.teardown(t.at('a')), false, 'that there are no finalizers');
    sameResource(await t.core.get(t.at('a')), stored, 'what is stored');
    await t.change(stored, { finalizers: [] }, { expectedPhase: 'any' });
    equal(await t.state.teardown(t.at('a')), true, 'that there are no finalizers after they are gone');
    await reader.expect('updated a@2');
    await t.quiet(reader);
  });

  it('S10: teardown checks the owner', async (t) => {
    const stored = await t.create('a', 1, { owner: 'me' });
    await rejectsWith(t.state.teardown(t.at('a')), 'owner-conflict', 'teardown by nobody', t.at('a'));
    await rejectsWith(
      t.state.teardown(t.at('a'), { owner: 'you' }),
      'owner-conflict',
      'teardown by another',
      t.at('a'),
    );
    sameResource(await t.core.get(t.at('a')), stored, 'what is stored');
    equal(await t.state.teardown(t.at('a'), { owner: 'me' }), true, 'that there are no finalizers');
    equal((await t.core.get(t.at('a'))).metadata.owner, 'me', 'the owner');
  });

  it('S10: the owner is not checked when it is tearing down already', async (t) => {
    await t.create('a', 1, { owner: 'me', phase: 'tearingDown' });
    equal(await t.state.teardown(t.at('a'), { owner: 'you' }), true, 'what teardown by another answers');
    equal(await t.state.teardown(t.at('a')), true, 'what teardown by nobody answers');
  });

  itIf(features.sharedTeardowns)('S10: many teardowns at once succeed, and one of them writes', async (t) => {
    await t.create('a', 1, { finalizers: ['f'] });
    const reader = await t.watchKind();
    const answers = await Promise.all(Array.from({ length: 10 }, () => t.state.teardown(t.at('a'))));
    equal(answers, Array(10).fill(false), 'the answers');
    await reader.expect('updated a@2');
    await t.quiet(reader);
  });

  it('S10: teardown goes through while others write', async (t) => {
    await t.create('a', 0);
    const writing = Array.from({ length: 10 }, () =>
      t.started(t.state.updateWithConflicts(t.at('a'), (draft) => void draft.spec.value++, { expectedPhase: 'any' })),
    );
    await Promise.all([...writing, t.state.teardown(t.at('a'))]);
    const stored = await t.core.get(t.at('a'));
    equal([stored.metadata.phase, t.valueOf(stored)], ['tearingDown', 10], 'phase and value');
  });
}
