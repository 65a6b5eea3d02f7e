import { equal, rejection } from '../assertions.js';
import { ofInts, seenInts } from './controllers.js';
import { Ints, Sentences, Strings, Sums } from './kinds.js';
import type { RuntimeSuite } from './runtime-suite.js';
import { patientBackoff } from './runtime-test.js';

export function mappingTests({ it }: RuntimeSuite): void {
  it('Q1: a change of a mapped input has the items reconciled that it maps to', async (t) => {
    const { controller, calls } = seenInts(t.lib);
    const { mapped, sameId, labelValue, fromResource } = t.lib;
    const run = t.run([
      {
        ...controller,
        inputs: [
          ...controller.inputs,
          mapped(Strings.kind, sameId(Ints.kind)),
          mapped(Sentences.kind, labelValue(Ints.kind, 'int')),
          mapped(
            Sums.kind,
            fromResource(Sums.kind, ({ spec }) => Array.from({ length: spec.value }, (_, i) => Ints.at(`n${i}`))),
          ),
        ],
      },
    ]);
    await t.state.create(Strings.new('same', { text: '' }));
    await t.becomes(() => calls, ['same'], 'the items');
    await t.state.create(Sentences.new('s', { text: '' }, { labels: { int: 'labelled' } }));
    await t.becomes(() => calls, ['same', 'labelled'], 'the items');
    await t.state.create(Sums.new('s', { value: 3 }));
    await t.becomes(() => calls.slice(2).sort(), ['n0', 'n1', 'n2'], 'the items that a function gave');
    await t.state.modify(Strings.at('same'), (draft) => {
      draft.spec.text = 'changed';
    });
    await t.becomes(() => calls.slice(5), ['same'], 'the items of a change');
    equal(run.report('SeenInts').counts.mappedIn, 4, 'what was mapped');
    equal(run.report('SeenInts').counts.mappedOut, 6, 'what that gave');
  });

  it('Q1: a mapped resource that is gone is mapped as it was last', async (t) => {
    const told: unknown[] = [];
    const { controller, calls } = seenInts(t.lib);
    t.run([
      {
        ...controller,
        inputs: [...controller.inputs, t.lib.mapped(Strings.kind)],
        mapInput({ id, labels, phase, finalizersEmpty }) {
          told.push({ id, int: labels.int, phase, finalizersEmpty });
          return labels.int === undefined ? undefined : [Ints.at(labels.int)];
        },
      },
    ]);
    const metadata = { labels: { int: 'x' }, finalizers: ['f'] };
    await t.state.create(Strings.new('s', { text: '' }, metadata));
    const first = { id: 's', int: 'x', phase: 'running', finalizersEmpty: false };
    await t.becomes(() => told, [first], 'what the mapper was told');
    await t.becomes(() => calls, ['x'], 'the items');
    await t.state.removeFinalizer(Strings.at('s'), 'f');
    const second = { ...first, finalizersEmpty: true };
    await t.becomes(() => told, [first, second], 'what the mapper was told');
    await t.becomes(() => calls, ['x', 'x'], 'the items');
    await t.state.destroy(Strings.at('s'));
    await t.becomes(() => calls, ['x', 'x', 'x'], 'the items once it is gone');
    await t.becomes(() => (told.at(-1) as { int: unknown }).int, 'x', 'the label of what is gone');
  });

  it('Q1: a mapped destroy-ready input wakes for what is torn down and free, or gone', async (t) => {
    const { controller, calls } = seenInts(t.lib);
    const witness = { ...seenInts(t.lib, 'Witness').controller };
    const phases = new Set<string>();
    t.run([
      {
        ...controller,
        inputs: [...controller.inputs, t.lib.mappedDestroyReady(Strings.kind, t.lib.sameId(Ints.kind))],
      },
      {
        ...witness,
        inputs: [
          ...witness.inputs,
          t.lib.mapped(Strings.kind, ({ phase, finalizersEmpty }) => {
            phases.add(`${phase} ${finalizersEmpty}`);
            return undefined;
          }),
        ],
      },
    ]);
    await t.state.create(Strings.new('s', { text: '' }, { finalizers: ['f'] }));
    await t.state.teardown(Strings.at('s'));
    await t.until(() => phases.has('tearingDown false'), 'the teardown has come');
    equal(calls, [], 'the items while it is held');
    await t.state.removeFinalizer(Strings.at('s'), 'f');
    await t.becomes(() => calls, ['s'], 'the items once it is free');
  });

  it('Q1: mapping to what is no primary input is an error', async (t) => {
    const { controller } = seenInts(t.lib);
    const run = t.run(
      [{ ...controller, inputs: [...controller.inputs, t.lib.mapped(Strings.kind, ({ id }) => Sums.at(id))] }],
      { backoff: patientBackoff },
    );
    await t.state.create(Strings.new('s', { text: '' }));
    await t.becomes(() => run.report('SeenInts').counts.failed, 1, 'failures');
    const code = t.log.errorsOf('SeenInts').map(({ err }) => (err as { code?: unknown }).code);
    equal(code, ['runtime/undeclared'], 'the codes of the errors in the log');
    const queued = await rejection(
      (async () => run.runtime.queue('SeenInts', Sums.at('s')))(),
      'queueing what is no primary input',
    );
    equal((queued as { code?: unknown }).code, 'runtime/undeclared', 'the code');
  });

  it('C15, Q1: an item can be queued from outside, before the start too, and need not exist', async (t) => {
    const calls: string[] = [];
    const runtime = t.runtime();
    const handle = runtime.register(ofInts(t.lib, ({ id }) => void calls.push(id)));
    for (let i = 0; i < 5; i++) runtime.queue('OfInts', Ints.at('early'));
    t.start(runtime);
    await t.becomes(() => calls, ['early'], 'the items');
    equal('queue' in handle && handle.queue(Ints.at('later')), true, 'queueing by the handle');
    await t.becomes(() => calls, ['early', 'later'], 'the items');
  });
}
