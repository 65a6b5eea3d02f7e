import { check, equal } from '../assertions.js';
import { Ints, Strings, Sums } from './kinds.js';
import type { RuntimeSuite } from './runtime-suite.js';
import { patientBackoff } from './runtime-test.js';

const textOf = (draft: { readonly spec: { text: string } }, int: { readonly spec: { readonly value: number } }) => {
  draft.spec.text = String(int.spec.value);
};

export function qtransformTests({ it }: RuntimeSuite): void {
  const base = { name: 'QTransform', input: Ints.kind, output: Strings.kind } as const;

  it('G1, G5: it holds its finalizer on inputs that have an output, and lets go when the output is gone', async (t) => {
    t.run([
      t.lib.qtransform({
        ...base,
        map: (int) => (int.metadata.id === 'none' ? undefined : Strings.at(`s-${int.metadata.id}`)),
        unmap: ({ id }) => Ints.at(id.slice(2)),
        transform: textOf,
      }),
    ]);
    await t.put('none', 1);
    await t.put('a', 2);
    await t.specsBecome(Strings.kind, { 's-a': { text: '2' } }, 'the outputs');
    equal((await t.state.get(Ints.at('a'))).metadata.finalizers, ['QTransform'], 'the finalizers of an input');
    equal((await t.state.get(Ints.at('none'))).metadata.finalizers, [], 'the finalizers of one without an output');
    await t.within(t.state.teardownAndDestroy(Ints.at('a')), 'the input to go');
    equal(await t.specs(Strings.kind), {}, 'the outputs that are left');
  });

  it('G5: an output that somebody holds keeps its input until it is let go of', async (t) => {
    t.run([t.lib.qtransform({ ...base, transform: textOf })], { backoff: patientBackoff });
    await t.put('a', 1);
    await t.until(() => t.exists(Strings.at('a')), 'there is an output');
    await t.state.addFinalizer(Strings.at('a'), 'holder');
    const gone = t.started(t.state.teardownAndDestroy(Ints.at('a')));
    await t.becomes(
      async () => (await t.find(Strings.at('a')))?.metadata.phase,
      'tearingDown',
      'the phase of the output',
    );
    equal((await t.state.get(Ints.at('a'))).metadata.finalizers, ['QTransform'], 'the finalizers of the input');
    await t.state.removeFinalizer(Strings.at('a'), 'holder');
    await t.within(gone, 'the input to go');
  });

  it('G3, G5: an output of an earlier life goes before there is a new one', async (t) => {
    t.run([t.lib.qtransform({ ...base, transform: textOf })], { backoff: patientBackoff });
    await t.put('a', 1);
    await t.until(() => t.exists(Strings.at('a')), 'there is an output');
    await t.state.addFinalizer(Strings.at('a'), 'holder');
    await t.state.teardown(Strings.at('a'), { owner: 'QTransform' });
    await t.put('a', 2);
    await t.put('b', 1);
    await t.until(() => t.exists(Strings.at('b')), 'another output is there');
    equal((await t.state.get(Strings.at('a'))).spec.text, '1', 'the output while somebody holds it');
    await t.state.removeFinalizer(Strings.at('a'), 'holder');
    await t.becomes(async () => (await t.find(Strings.at('a')))?.spec.text, '2', 'the new output');
    equal((await t.state.get(Strings.at('a'))).metadata.version, 1n, 'its version');
  });

  it('G5: a requeue keeps the change, a skip drops it, and an output can be taken away', async (t) => {
    const calls: string[] = [];
    t.run(
      [
        t.lib.qtransform({
          ...base,
          transform(draft, int) {
            const { id } = int.metadata;
            calls.push(`${id} ${int.spec.value}`);
            textOf(draft, int);
            if (int.spec.value === 1 && id === 'requeued') return t.lib.requeueAfter(3);
            if (int.spec.value === 1 && id === 'thrown') throw new t.lib.RequeueError(3);
            if (int.spec.value === 2 && id === 'skipped') throw new t.lib.SkipError('not that');
            if (int.spec.value === 2 && id === 'removed') return t.lib.destroyOutput;
            return undefined;
          },
        }),
      ],
      { backoff: patientBackoff },
    );
    for (const id of ['requeued', 'thrown', 'skipped', 'removed']) await t.put(id, 1);
    const one = { text: '1' };
    await t.specsBecome(Strings.kind, { removed: one, requeued: one, skipped: one, thrown: one }, 'the outputs');
    for (const id of ['requeued', 'thrown'])
      await t.until(() => calls.filter((call) => call === `${id} 1`).length >= 3, `${id} was called again and again`);
    for (const id of ['skipped', 'removed']) await t.put(id, 2);
    await t.until(() => calls.includes('skipped 2') && calls.includes('removed 2'), 'the changes were seen');
    await t.specsBecome(Strings.kind, { requeued: one, skipped: one, thrown: one }, 'the outputs after that');
    await t.put('removed', 3);
    await t.becomes(
      async () => (await t.find(Strings.at('removed')))?.spec.text,
      '3',
      'an output that is wanted again',
    );
  });

  it('G5: more inputs come with mappers, no two for one kind', async (t) => {
    const { mapped, sameId, noItems } = t.lib;
    t.run([
      t.lib.qtransform({
        ...base,
        extraInputs: [mapped(Sums.kind, sameId(Ints.kind))],
        async transform(draft, int, { state }) {
          const sum = await state.find(Sums.at(int.metadata.id));
          draft.spec.text = `${int.spec.value} ${sum?.spec.value ?? 'none'}`;
        },
      }),
    ]);
    await t.put('a', 1);
    await t.specsBecome(Strings.kind, { a: { text: '1 none' } }, 'the output');
    await t.state.create(Sums.new('a', { value: 5 }));
    await t.specsBecome(Strings.kind, { a: { text: '1 5' } }, 'the output after the other input came');
    for (const [what, extraInputs] of [
      ['two mappers', [mapped(Sums.kind, noItems), mapped(Sums.kind, sameId(Ints.kind))]],
      ['no mapper', [mapped(Sums.kind)]],
    ] as const) {
      let thrown: unknown;
      try {
        t.lib.qtransform({ ...base, extraInputs, transform: textOf });
      } catch (error) {
        thrown = error;
      }
      check(thrown instanceof TypeError, `${what}: expected a TypeError`);
    }
  });

  it('G5: a teardown can be ignored while these finalizers are there', async (t) => {
    t.run([t.lib.qtransform({ ...base, ignoreTeardownWhile: ['Busy'], transform: textOf })]);
    await t.put('a', 1);
    await t.until(() => t.exists(Strings.at('a')), 'there is an output');
    await t.state.addFinalizer(Ints.at('a'), 'Busy');
    await t.state.teardown(Ints.at('a'));
    await t.state.updateWithConflicts(
      Ints.at('a'),
      (draft) => {
        draft.spec.value = 2;
      },
      { expectedPhase: 'any' },
    );
    await t.becomes(async () => (await t.find(Strings.at('a')))?.spec.text, '2', 'the output while it is busy');
    equal((await t.state.get(Strings.at('a'))).metadata.phase, 'running', 'its phase');
    await t.state.removeFinalizer(Ints.at('a'), 'Busy');
    await t.until(async () => !(await t.exists(Strings.at('a'))), 'the output is gone');
    await t.becomes(
      async () => (await t.state.get(Ints.at('a'))).metadata.finalizers,
      [],
      'the finalizers that are left',
    );
  });

  it('G5: a teardown can be ignored until only these finalizers are left', async (t) => {
    t.run([t.lib.qtransform({ ...base, ignoreTeardownUntil: ['Last'], transform: textOf })]);
    await t.put('a', 1);
    await t.until(() => t.exists(Strings.at('a')), 'there is an output');
    await t.state.addFinalizer(Ints.at('a'), ['Last', 'Other']);
    await t.state.teardown(Ints.at('a'));
    await t.state.updateWithConflicts(
      Ints.at('a'),
      (draft) => {
        draft.spec.value = 2;
      },
      { expectedPhase: 'any' },
    );
    await t.becomes(async () => (await t.find(Strings.at('a')))?.spec.text, '2', 'the output while others are left');
    await t.state.removeFinalizer(Ints.at('a'), 'Other');
    await t.until(async () => !(await t.exists(Strings.at('a'))), 'the output is gone');
    await t.becomes(
      async () => (await t.state.get(Ints.at('a'))).metadata.finalizers,
      ['Last'],
      'the finalizers that are left',
    );
  });
}
