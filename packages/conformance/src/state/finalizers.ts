import { equal, rejectsWith, sameResource } from '../assertions.js';
import type { StateSuite } from '../state-suite.js';

export function finalizerTests({ it }: StateSuite): void {
  it('S11, R5: finalizers can be added and removed', async (t) => {
    await t.create('a', 3);
    await t.state.addFinalizer(t.at('a'), 'z');
    await t.state.addFinalizer(t.at('a'), ['m', 'b']);
    equal((await t.core.get(t.at('a'))).metadata.finalizers, ['z', 'm', 'b'], 'the finalizers, in the order added');
    await t.state.removeFinalizer(t.at('a'), 'm');
    equal((await t.core.get(t.at('a'))).metadata.finalizers, ['z', 'b'], 'the finalizers after one was removed');
    await t.state.removeFinalizer(t.at('a'), ['b', 'z']);
    const stored = await t.core.get(t.at('a'));
    equal([stored.metadata.finalizers, t.valueOf(stored)], [[], 3], 'the finalizers and the spec at the end');
  });

  it('S11: the present owner is kept', async (t) => {
    await t.create('a', 1, { owner: 'me' });
    await t.state.addFinalizer(t.at('a'), 'f');
    await t.state.removeFinalizer(t.at('a'), 'f');
    const { metadata } = await t.core.get(t.at('a'));
    equal([metadata.owner, metadata.version], ['me', 3n], 'owner and version');
  });

  it('S11: any phase will do', async (t) => {
    await t.create('a', 1, { phase: 'tearingDown', finalizers: ['f'] });
    await t.state.addFinalizer(t.at('a'), 'g');
    await t.state.removeFinalizer(t.at('a'), 'f');
    const { metadata } = await t.core.get(t.at('a'));
    equal([metadata.phase, metadata.finalizers], ['tearingDown', ['g']], 'phase and finalizers');
  });

  it('S11, R5: adding what is there and removing what is not are no-ops', async (t) => {
    const stored = await t.create('a', 1, { finalizers: ['f'] });
    const reader = await t.watchKind();
    await t.state.addFinalizer(t.at('a'), 'f');
    await t.state.removeFinalizer(t.at('a'), 'g');
    await t.state.addFinalizer(t.at('a'), []);
    sameResource(await t.core.get(t.at('a')), stored, 'what is stored');
    await t.quiet(reader);
  });

  it('S11, S20: finalizers of what is absent are not-found', async (t) => {
    await rejectsWith(t.state.addFinalizer(t.at('a'), 'f'), 'not-found', 'addFinalizer', t.at('a'));
    await rejectsWith(t.state.removeFinalizer(t.at('a'), 'f'), 'not-found', 'removeFinalizer', t.at('a'));
  });

  it('S11: of many that are added at once none is lost', async (t) => {
    await t.create('a');
    const names = Array.from({ length: 20 }, (_, i) => `f${i}`);
    await Promise.all(names.map((name) => t.state.addFinalizer(t.at('a'), name)));
    const { metadata } = await t.core.get(t.at('a'));
    equal(metadata.finalizers.toSorted(), names.toSorted(), 'the finalizers');
    equal(metadata.version, 21n, 'the version');
  });

  it('S11: adding and removing at once, among other writes, loses nothing', async (t) => {
    const gone = Array.from({ length: 8 }, (_, i) => `old${i}`);
    const names = Array.from({ length: 8 }, (_, i) => `new${i}`);
    await t.create('a', 0, { finalizers: gone, owner: 'me' });
    await Promise.all([
      ...names.map((name) => t.state.addFinalizer(t.at('a'), name)),
      ...gone.map((name) => t.state.removeFinalizer(t.at('a'), name)),
      ...names.map(() => t.state.updateWithConflicts(t.at('a'), (draft) => void draft.spec.value++, { owner: 'me' })),
    ]);
    const stored = await t.core.get(t.at('a'));
    equal(stored.metadata.finalizers.toSorted(), names.toSorted(), 'the finalizers');
    equal(t.valueOf(stored), 8, 'the value');
  });
}
