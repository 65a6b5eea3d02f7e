import { equal } from '../assertions.js';
import { ofInts, sentencesOfStrings, stringsOfInts } from './controllers.js';
import { Ints, Letters, Sentences, Strings } from './kinds.js';
import type { RuntimeSuite } from './runtime-suite.js';

export function chainTests({ it }: RuntimeSuite): void {
  it('C1, C4, Q4: ints become strings, and strings become sentences', async (t) => {
    await t.put('before', 1);
    t.run([stringsOfInts(t.lib), sentencesOfStrings(t.lib)]);
    await t.put('after', 2);
    const [before, after] = [{ text: 'It is 1.' }, { text: 'It is 2.' }];
    await t.specsBecome(Sentences.kind, { before, after }, 'the sentences');
    await t.put('before', 3);
    await t.specsBecome(Sentences.kind, { before: { text: 'It is 3.' }, after }, 'the sentences after a change');
    equal((await t.state.get(Sentences.at('after'))).metadata.owner, 'SentencesOfStrings', 'the owner of an output');
  });

  it('C1, C3, Q1: a chain takes itself down from its end', async (t) => {
    t.run([stringsOfInts(t.lib), sentencesOfStrings(t.lib)]);
    await t.putMany('i', 3);
    await t.until(async () => (await t.state.list(Sentences.kind)).length === 3, 'there are 3 sentences');
    await t.within(t.state.teardownAndDestroy(Ints.at('i1')), 'the int to go');
    equal(Object.keys(await t.specs(Strings.kind)), ['i0', 'i2'], 'the strings that are left');
    equal(Object.keys(await t.specs(Sentences.kind)), ['i0', 'i2'], 'the sentences that are left');
    equal(t.core.destroyed, [Sentences.type, Strings.type], 'what the controllers destroyed, in this order');
  });

  it('G1, G2, G5: a chain of a transform and a qtransform does the same', async (t) => {
    t.run([
      t.lib.transform({
        name: 'Strings',
        input: Ints.kind,
        output: Strings.kind,
        inputFinalizers: true,
        transform(draft, int) {
          draft.spec.text = String(int.spec.value);
        },
      }),
      t.lib.qtransform({
        name: 'Sentences',
        input: Strings.kind,
        output: Sentences.kind,
        transform(draft, string) {
          draft.spec.text = `It is ${string.spec.text}.`;
        },
      }),
    ]);
    await t.put('a', 1);
    await t.put('b', 2);
    const b = { text: 'It is 2.' };
    await t.specsBecome(Sentences.kind, { a: { text: 'It is 1.' }, b }, 'the sentences');
    await t.put('a', 5);
    await t.specsBecome(Sentences.kind, { a: { text: 'It is 5.' }, b }, 'the sentences after a change');
    await t.within(t.state.teardownAndDestroy(Ints.at('a')), 'the int to go');
    equal(await t.specs(Sentences.kind), { b }, 'the sentences that are left');
    equal(t.core.destroyed, [Sentences.type, Strings.type], 'what the controllers destroyed, in this order');
  });

  it('G5, S19, S20: three controllers let go one after the other, the last of which fails for a while', async (t) => {
    let isFailing = true;
    const text = (draft: { spec: { text: string } }) => {
      draft.spec.text = 'text';
    };
    const run = t.run([
      t.lib.qtransform({ name: 'First', input: Ints.kind, output: Strings.kind, transform: text }),
      t.lib.qtransform({ name: 'Second', input: Strings.kind, output: Sentences.kind, transform: text }),
      t.lib.qtransform({
        name: 'Third',
        input: Sentences.kind,
        output: Letters.kind,
        transform: text,
        finalizerRemoval() {
          if (isFailing) throw new Error('the post is on strike');
        },
      }),
    ]);
    await t.put('a', 1);
    await t.until(() => t.exists(Letters.at('a')), 'there is a letter');
    const gone = t.started(t.state.teardownAndDestroy(Ints.at('a')));
    await t.eventually(async () => {
      const { blockers } = await run.runtime.blockers(Sentences.at('a'));
      const shown = blockers.map(({ finalizer, controller, isOrphan, lastError }) => ({
        finalizer,
        controller: controller?.name,
        isOrphan,
        error: lastError?.message,
      }));
      const expected = { finalizer: 'Third', controller: 'Third', isOrphan: false, error: 'the post is on strike' };
      equal(shown, [expected], 'what blocks the sentence');
    });
    await t.until(() => run.report('Third').counts.failed >= 3, 'the third controller has failed three times');
    for (const pointer of [Ints.at('a'), Strings.at('a'), Sentences.at('a'), Letters.at('a')]) {
      equal(await t.exists(pointer), true, `whether ${pointer.type} is kept meanwhile`);
    }
    equal((await run.runtime.blockers(Ints.at('a'))).blockers[0]?.finalizer, 'First', 'what blocks the int');
    isFailing = false;
    await t.within(gone, 'the int to go');
    equal(t.core.destroyed, [Letters.type, Sentences.type, Strings.type], 'what was destroyed, in this order');
  });

  it('S20: where something is to be gone, that it is absent is success', async (t) => {
    const done: string[] = [];
    const run = t.run([
      ofInts(
        t.lib,
        async ({ id }, { state }) => {
          await state.removeFinalizer(Ints.at(id));
          await state.destroy(Strings.at(id));
          done.push(`${id} ${await state.teardown(Strings.at(id))} ${await state.destroyIfReady(Strings.at(id))}`);
        },
        { outputs: [t.lib.exclusive(Strings)] },
      ),
    ]);
    run.runtime.queue('OfInts', Ints.at('absent'));
    await t.becomes(() => done, ['absent true true'], 'what was done about what is absent');
    equal(run.report('OfInts').counts.failed, 0, 'failures');
  });

  it('S19: a finalizer that no controller owns is an orphan, and can be removed by force', async (t) => {
    const { runtime } = t.run([stringsOfInts(t.lib)]);
    await t.put('a', 1);
    await t.until(() => t.exists(Strings.at('a')), 'there is a string');
    await t.state.addFinalizer(Ints.at('a'), 'Departed');
    await t.state.teardown(Ints.at('a'));
    await t.becomes(
      async () =>
        (await runtime.blockers(Ints.at('a'))).blockers.map(({ finalizer, isOrphan }) => ({ finalizer, isOrphan })),
      [{ finalizer: 'Departed', isOrphan: true }],
      'what blocks the int',
    );
    equal(await runtime.forceRemoveFinalizer(Ints.at('a'), 'Departed'), true, 'removing it');
    equal((await t.state.get(Ints.at('a'))).metadata.finalizers, [], 'the finalizers that are left');
  });
}
