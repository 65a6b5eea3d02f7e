import { check, equal } from '../assertions.js';
import { show } from '../show.js';
import { Ints, Strings, Sums } from './kinds.js';
import type { RuntimeSuite } from './runtime-suite.js';

const textOf = (draft: { readonly spec: { text: string } }, int: { readonly spec: { readonly value: number } }) => {
  draft.spec.text = String(int.spec.value);
};

export function transformTests({ it }: RuntimeSuite): void {
  const base = { name: 'Transform', input: Ints.kind, output: Strings.kind } as const;

  it('G1: each input has at most one output, of which the controller is the owner', async (t) => {
    t.run([
      t.lib.transform({
        ...base,
        map: (int) => (int.spec.value < 0 ? undefined : Strings.at(`s-${int.metadata.id}`)),
        transform: textOf,
      }),
    ]);
    await t.put('a', 1);
    await t.put('none', -1);
    await t.put('b', 2);
    const expected = { 's-a': { text: '1' }, 's-b': { text: '2' } };
    await t.specsBecome(Strings.kind, expected, 'the outputs');
    equal((await t.state.get(Strings.at('s-a'))).metadata.owner, 'Transform', 'the owner');
    await t.put('none', 3);
    await t.specsBecome(Strings.kind, { ...expected, 's-none': { text: '3' } }, 'the outputs after a change');
  });

  it('G2: without input finalizers, an input that is torn down or gone takes its output along', async (t) => {
    t.run([t.lib.transform({ ...base, transform: textOf })]);
    await t.putMany('i', 3);
    await t.until(async () => (await t.state.list(Strings.kind)).length === 3, 'there are 3 outputs');
    equal((await t.state.get(Ints.at('i0'))).metadata.finalizers, [], 'the finalizers of an input');
    await t.state.addFinalizer(Ints.at('i0'), 'holder');
    await t.state.teardown(Ints.at('i0'));
    await t.state.destroy(Ints.at('i1'));
    await t.specsBecome(Strings.kind, { i2: { text: '2' } }, 'the outputs that are left');
  });

  it('G2: inputs that are torn down can be ignored until they are gone', async (t) => {
    t.run([t.lib.transform({ ...base, ignoreTearingDownInputs: true, transform: textOf })]);
    await t.put('a', 1);
    await t.put('b', 2);
    await t.state.addFinalizer(Ints.at('a'), 'holder');
    await t.state.teardown(Ints.at('a'));
    await t.put('b', 3);
    await t.specsBecome(Strings.kind, { a: { text: '1' }, b: { text: '3' } }, 'the outputs');
    await t.state.removeFinalizer(Ints.at('a'), 'holder');
    await t.state.destroy(Ints.at('a'));
    await t.specsBecome(Strings.kind, { b: { text: '3' } }, 'the outputs that are left');
  });

  it('G2: with input finalizers, the removal function comes first, then the output goes, then the finalizer', async (t) => {
    const removals: string[] = [];
    let isReady = false;
    t.run([
      t.lib.transform({
        ...base,
        inputFinalizers: true,
        transform: textOf,
        async finalizerRemoval({ metadata }, { state }) {
          removals.push(`${metadata.id} ${(await state.find(Strings.at(metadata.id))) !== undefined}`);
          if (!isReady) throw new Error('not yet');
        },
      }),
    ]);
    await t.put('a', 1);
    await t.until(() => t.exists(Strings.at('a')), 'there is an output');
    equal((await t.state.get(Ints.at('a'))).metadata.finalizers, ['Transform'], 'the finalizers of the input');
    const gone = t.started(t.state.teardownAndDestroy(Ints.at('a')));
    await t.until(() => removals.length >= 2, 'the removal function has failed twice');
    equal(await t.exists(Strings.at('a')), true, 'whether the output is kept meanwhile');
    isReady = true;
    await t.within(gone, 'the input to go');
    equal(await t.exists(Strings.at('a')), false, 'whether the output is left');
    equal([...new Set(removals)], ['a true'], 'whether the output was there whenever the removal function was called');
  });

  it('G2: options that exclude each other are refused', async (t) => {
    for (const [what, options] of [
      ['ignoring beside input finalizers', { inputFinalizers: true, ignoreTearingDownInputs: true }],
      ['a removal function without input finalizers', { finalizerRemoval: () => undefined }],
      ['an output of the kind of the input', { output: Ints.kind }],
    ] as const) {
      let thrown: unknown;
      try {
        t.lib.transform({ ...base, transform: textOf, ...options } as never);
      } catch (error) {
        thrown = error;
      }
      check(thrown instanceof TypeError, `${what}: expected a TypeError, found ${show(thrown)}`);
    }
  });

  it('G3: an output that is tearing down goes, once nobody holds it, before there is a new one', async (t) => {
    t.run([t.lib.transform({ ...base, transform: textOf })]);
    await t.put('a', 1);
    await t.until(() => t.exists(Strings.at('a')), 'there is an output');
    await t.state.addFinalizer(Strings.at('a'), 'holder');
    const { created } = (await t.state.get(Strings.at('a'))).metadata;
    await t.state.teardown(Strings.at('a'), { owner: 'Transform' });
    await t.put('a', 2);
    await t.put('b', 1);
    await t.until(() => t.exists(Strings.at('b')), 'another output is there');
    const held = await t.state.get(Strings.at('a'));
    equal([held.metadata.phase, held.spec.text], ['tearingDown', '1'], 'the output while somebody holds it');
    await t.state.removeFinalizer(Strings.at('a'), 'holder');
    await t.becomes(async () => (await t.find(Strings.at('a')))?.spec.text, '2', 'the new output');
    const { metadata } = await t.state.get(Strings.at('a'));
    equal(metadata.version, 1n, 'its version');
    check(metadata.created.compare(created) > 0, 'it must have been created after the old one');
  });

  it('G4: one that fails does not stop the others, and all errors are told together', async (t) => {
    const failing = new Set(['i1', 'i3']);
    const run = t.run([
      t.lib.transform({
        ...base,
        transform(draft, int) {
          const { id } = int.metadata;
          if (id === 'i2') throw new t.lib.SkipError('not this one');
          if (failing.has(id)) throw new Error(`no luck with ${id}`);
          textOf(draft, int);
        },
      }),
    ]);
    await t.putMany('i', 5);
    await t.specsBecome(Strings.kind, { i0: { text: '0' }, i4: { text: '4' } }, 'the outputs of the others');
    await t.eventually(() => {
      const { err } = t.log.errorsOf('Transform').at(-1) ?? {};
      const failures = (err as { failures?: readonly { resource: { id: string } }[] } | undefined)?.failures ?? [];
      equal(failures.map(({ resource }) => resource.id).sort(), ['i1', 'i3'], 'the inputs that failed together');
    });
    failing.clear();
    await t.until(() => t.exists(Strings.at('i3')), 'they are done once nothing is wrong with them');
    equal(await t.exists(Strings.at('i2')), false, 'whether there is an output of what is skipped');
    check(run.report('Transform').restarts > 0, 'it must have been started again');
  });

  it('G1: more inputs have all outputs looked at', async (t) => {
    await t.state.create(Sums.new('factor', { value: 2 }));
    t.run([
      t.lib.transform({
        ...base,
        extraInputs: [t.lib.weak(Sums.at('factor'))],
        async transform(draft, int, { state }) {
          draft.spec.text = String(int.spec.value * (await state.get(Sums.at('factor'))).spec.value);
        },
      }),
    ]);
    await t.put('a', 1);
    await t.put('b', 2);
    await t.specsBecome(Strings.kind, { a: { text: '2' }, b: { text: '4' } }, 'the outputs');
    await t.state.modify(Sums.at('factor'), (draft) => {
      draft.spec.value = 10;
    });
    await t.specsBecome(Strings.kind, { a: { text: '10' }, b: { text: '20' } }, 'the outputs with another factor');
  });
}
