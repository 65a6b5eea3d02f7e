import { label } from '@cosi-ts/resource';
import { equal } from '../assertions.js';
import { Ints, Sentences, Strings } from './kinds.js';
import type { RuntimeSuite } from './runtime-suite.js';

const ofInt = ({ metadata }: { readonly metadata: { readonly id: string } }) => ({
  labels: [label('int').is(metadata.id)],
});
const labelled = (int: string, owner = '') => ({ labels: { int }, owner });

export function cleanupTests({ it }: RuntimeSuite): void {
  it('G6: handlers run in their order before an input goes', async (t) => {
    const done: string[] = [];
    t.run([
      t.lib.cleanup({
        name: 'Cleanup',
        input: Ints.kind,
        handlers: [
          t.lib.noOutputsLeft(Strings.kind, ofInt),
          t.lib.removeOutputs(Sentences.kind, ofInt, { owners: ['Poet'] }),
          { run: ({ metadata }) => void done.push(metadata.id) },
        ],
      }),
    ]);
    await t.put('a', 1);
    await t.becomes(async () => (await t.state.get(Ints.at('a'))).metadata.finalizers, ['Cleanup'], 'the finalizers');
    await t.state.create(Strings.new('s', { text: '' }, labelled('a')));
    for (const [id, owner] of [
      ['nobody', ''],
      ['poet', 'Poet'],
      ['other', 'Somebody'],
    ] as const) {
      await t.state.create(Sentences.new(id, { text: '' }, labelled('a', owner)), { owner });
    }
    await t.state.create(Sentences.new('elsewhere', { text: '' }, labelled('b')));
    const gone = t.started(t.state.teardownAndDestroy(Ints.at('a')));
    await t.put('b', 1);
    await t.becomes(
      async () => (await t.state.get(Ints.at('b'))).metadata.finalizers,
      ['Cleanup'],
      'the finalizers of b',
    );
    equal(done, [], 'what was done while an output is left');
    equal((await t.state.list(Sentences.kind)).length, 4, 'what the second handler has left alone meanwhile');
    await t.state.destroy(Strings.at('s'));
    await t.within(gone, 'the input to go');
    equal(done, ['a'], 'what was done');
    equal(Object.keys(await t.specs(Sentences.kind)), ['elsewhere', 'other'], 'the outputs that are left');
  });

  it('G6: outputs that somebody holds are waited for, and a handler that fails is tried again', async (t) => {
    let fails = 2;
    const run = t.run([
      t.lib.cleanup({
        name: 'Cleanup',
        input: Ints.kind,
        handlers: [
          {
            run() {
              if (fails-- > 0) throw new Error('no luck');
            },
          },
          t.lib.removeOutputs(Strings.kind, ofInt),
        ],
      }),
    ]);
    await t.put('a', 1);
    await t.becomes(async () => (await t.state.get(Ints.at('a'))).metadata.finalizers, ['Cleanup'], 'the finalizers');
    await t.state.create(Strings.new('s', { text: '' }, { ...labelled('a'), finalizers: ['holder'] }));
    const gone = t.started(t.state.teardownAndDestroy(Ints.at('a')));
    await t.becomes(
      async () => (await t.find(Strings.at('s')))?.metadata.phase,
      'tearingDown',
      'the phase of the output',
    );
    equal((await t.state.get(Ints.at('a'))).metadata.finalizers, ['Cleanup'], 'the finalizers while it is held');
    await t.state.removeFinalizer(Strings.at('s'), 'holder');
    await t.within(gone, 'the input to go');
    equal(run.report('Cleanup').counts.failed, 2, 'failures');
    equal(await t.exists(Strings.at('s')), false, 'whether the output is left');
  });

  it('G7: what nobody owns is destroyed once it is torn down and free', async (t) => {
    const controller = t.lib.destroy(Ints.kind);
    equal(controller.name, `Destroy[${Ints.type}]`, 'its name');
    await t.put('before', 1);
    await t.state.teardown(Ints.at('before'));
    t.run([controller]);
    await t.until(async () => !(await t.exists(Ints.at('before'))), 'what was torn down before is gone');
    await t.put('running', 1);
    await t.put('held', 1);
    await t.state.addFinalizer(Ints.at('held'), 'holder');
    await t.state.create(Ints.new('owned', { value: 1 }, { owner: 'Somebody' }), { owner: 'Somebody' });
    await t.put('free', 1);
    await t.state.teardown(Ints.at('held'));
    await t.state.teardown(Ints.at('owned'), { owner: 'Somebody' });
    await t.state.teardown(Ints.at('free'));
    await t.until(async () => !(await t.exists(Ints.at('free'))), 'what is free is gone');
    equal(Object.keys(await t.specs(Ints.kind)), ['held', 'owned', 'running'], 'what is left');
    await t.state.removeFinalizer(Ints.at('held'), 'holder');
    await t.until(async () => !(await t.exists(Ints.at('held'))), 'what was held is gone');
    equal(Object.keys(await t.specs(Ints.kind)), ['owned', 'running'], 'what is left');
  });
}
