import { describe, expect, it } from 'vitest';
import { destroy } from './destroy.js';
import { qtransform } from './qtransform.js';
import { eventually, harness, settled } from './testdata/harness.js';
import { Numbers, Squares } from './testdata/kinds.js';

describe('destroy', () => {
  it('G7: destroys unowned resources of the kind that tear down without finalizers, and no others', async () => {
    const { state, start, runtime } = harness([destroy(Numbers.kind)]);
    void start();
    await state.create(Numbers.new('running', { value: 1 }));
    await state.create(Numbers.new('owned', { value: 1 }, { phase: 'tearingDown' }), { owner: 'someone' });
    await state.create(Numbers.new('elsewhere', { value: 1 }, { namespace: 'other', phase: 'tearingDown' }));
    await state.create(Numbers.new('held', { value: 1 }, { finalizers: ['f'] }));
    await state.create(Numbers.new('free', { value: 1 }));
    const ids = async () => (await state.list(Numbers.kind)).map(({ metadata }) => metadata.id);
    await state.teardown(Numbers.at('held'));
    await state.teardown(Numbers.at('free'));
    await eventually(async () => expect(await ids()).toEqual(['held', 'owned', 'running']));
    await state.removeFinalizer(Numbers.at('held'), 'f');
    await eventually(async () => expect(await ids()).toEqual(['owned', 'running']));
    await settled();
    expect(await ids()).toEqual(['owned', 'running']);
    expect(await state.list(Numbers.in('other'))).toHaveLength(1);
    expect(runtime.report().controllers[0]).toMatchObject({
      name: 'Destroy[Numbers.test.cosi.dev]',
      counts: { failed: 0 },
    });
  });

  it('G5, G7: with a transform, tearing an input down takes everything away', async () => {
    const squarer = qtransform({
      name: 'Squarer',
      input: Numbers.kind,
      output: Squares.kind,
      transform(draft, input) {
        draft.spec.value = input.spec.value ** 2;
      },
    });
    const { state, start } = harness([squarer, destroy(Numbers.kind, { concurrency: 4 })]);
    void start();
    for (let i = 0; i < 50; i++) await state.create(Numbers.new(`${i}`, { value: i }));
    await eventually(async () => expect(await state.list(Squares.kind)).toHaveLength(50));
    for (let i = 0; i < 50; i++) await state.teardown(Numbers.at(`${i}`));
    await eventually(async () =>
      expect([await state.list(Squares.kind), await state.list(Numbers.kind)]).toEqual([[], []]),
    );
  });
});
