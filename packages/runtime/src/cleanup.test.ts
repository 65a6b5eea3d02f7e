import { label, type Pointer, type TypedPointer, type TypedResource } from '@cosi-ts/resource';
import { denied, filter, verbs, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { type CleanupOptions, cleanup } from './cleanup.js';
import { type CleanupHandler, noOutputsLeft, removeOutputs } from './cleanup-handler.js';
import { destroy } from './destroy.js';
import { exclusive, shared } from './outputs.js';
import { requeueAfter, SkipError } from './requeue.js';
import { eventually, type Harness, harness, settled } from './testdata/harness.js';
import { Cubes, Factors, Numbers, Squares } from './testdata/kinds.js';

type Spec = { value: number };

const ofInput = (input: TypedResource<Spec>) => ({ labels: [label('of').is(input.metadata.id)] });

function cleaner(handlers: readonly CleanupHandler<Spec>[], more: Partial<CleanupOptions<Spec>> = {}) {
  return cleanup({ name: 'Cleaner', input: Numbers.kind, handlers, ...more });
}

/** With an input `a` that is held, and outputs of it and of another one. */
async function started(
  handlers: readonly CleanupHandler<Spec>[],
  options: Parameters<typeof harness>[1] = {},
): Promise<Harness> {
  const made = harness([cleaner(handlers)], options);
  const { state } = made;
  void made.start();
  for (const id of ['a', 'b']) await state.create(Numbers.new(id, { value: 1 }));
  for (const id of ['a1', 'a2', 'b1']) {
    await state.create(Squares.new(id, { value: 1 }, { labels: { of: id.slice(0, 1) } }));
  }
  await eventually(async () => expect(await finalizersOf(made, Numbers.at('a'))).toEqual(['Cleaner']));
  return made;
}

async function finalizersOf({ state }: Harness, pointer: Pointer) {
  return (await state.get(pointer)).metadata.finalizers;
}

async function idsOf({ state }: Harness) {
  return (await state.list(Squares.kind)).map(({ metadata }) => metadata.id);
}

const counts = ({ runtime }: Harness) => runtime.report().controllers[0]?.counts;
const gone = (made: Harness, pointer: TypedPointer<Spec>) =>
  eventually(async () => expect(await finalizersOf(made, pointer)).toEqual([]));

describe('cleanup', () => {
  it('G6: adds its finalizer to running inputs, those that were there and those that come', async () => {
    const made = harness([cleaner([noOutputsLeft(Squares.kind, ofInput)])]);
    const { state } = made;
    await state.create(Numbers.new('before', { value: 1 }));
    await state.create(Numbers.new('leaving', { value: 1 }, { phase: 'tearingDown', finalizers: ['held'] }));
    void made.start();
    await eventually(async () => expect(await finalizersOf(made, Numbers.at('before'))).toEqual(['Cleaner']));
    await state.create(Numbers.new('after', { value: 1 }));
    await eventually(async () => expect(await finalizersOf(made, Numbers.at('after'))).toEqual(['Cleaner']));
    expect(await finalizersOf(made, Numbers.at('leaving'))).toEqual(['held']);
    expect(counts(made)).toMatchObject({ failed: 0 });
  });

  it('G6: noOutputsLeft lets the input go when others have taken its outputs away', async () => {
    const made = await started([noOutputsLeft(Squares.kind, ofInput)]);
    await made.state.teardown(Numbers.at('a'));
    await settled();
    await made.state.destroy(Squares.at('a1'));
    await settled();
    expect(await finalizersOf(made, Numbers.at('a'))).toEqual(['Cleaner']);
    await made.state.destroy(Squares.at('a2'));
    await gone(made, Numbers.at('a'));
    expect(await idsOf(made)).toEqual(['b1']);
    expect(await finalizersOf(made, Numbers.at('b'))).toEqual(['Cleaner']);
  });

  it('G6: noOutputsLeft sees an output that is the input’s no more', async () => {
    const made = await started([noOutputsLeft(Squares.kind, ofInput)]);
    await made.state.teardown(Numbers.at('a'));
    await made.state.destroy(Squares.at('a1'));
    await settled();
    await made.state.modify(Squares.at('a2'), (draft) => {
      draft.metadata.labels.of = 'b';
    });
    await gone(made, Numbers.at('a'));
  });

  it('G6: is woken only by what stands in the way', async () => {
    const made = await started([noOutputsLeft(Squares.kind, ofInput)]);
    await made.state.teardown(Numbers.at('a'));
    await settled();
    const before = counts(made)?.reconciled;
    for (let i = 0; i < 10; i++) {
      await made.state.modify(Squares.at('b1'), (draft) => {
        draft.spec.value = i + 10;
      });
    }
    await settled();
    expect(counts(made)?.reconciled).toBe(before);
    expect(made.logger.at('debug').at(-1)?.facts).toMatchObject({
      resource: 'Numbers.test.cosi.dev(test/a)',
      waitsFor: ['Squares.test.cosi.dev(test/a1)', 'Squares.test.cosi.dev(test/a2)'],
    });
  });

  it('G6: removeOutputs tears down and destroys what nobody owns, and waits for those who hold it', async () => {
    const made = await started([removeOutputs(Squares.kind, ofInput)]);
    await made.state.addFinalizer(Squares.at('a2'), 'held');
    await made.state.teardown(Numbers.at('a'));
    await eventually(async () => expect(await idsOf(made)).toEqual(['a2', 'b1']));
    expect((await made.state.get(Squares.at('a2'))).metadata.phase).toBe('tearingDown');
    expect(await finalizersOf(made, Numbers.at('a'))).toEqual(['Cleaner']);
    await made.state.removeFinalizer(Squares.at('a2'), 'held');
    await gone(made, Numbers.at('a'));
    expect(await idsOf(made)).toEqual(['b1']);
    expect(counts(made)).toMatchObject({ failed: 0, skipped: 0 });
  });

  it('G6: removeOutputs removes those of listed owners, and leaves those of others alone', async () => {
    const made = await started([removeOutputs(Squares.kind, ofInput, { owners: ['Listed'] })]);
    const labels = { of: 'a' };
    await made.state.create(Squares.new('listed', { value: 1 }, { labels }), { owner: 'Listed' });
    await made.state.create(Squares.new('foreign', { value: 1 }, { labels }), { owner: 'Other' });
    await made.state.teardown(Numbers.at('a'));
    await gone(made, Numbers.at('a'));
    expect(await idsOf(made)).toEqual(['b1', 'foreign']);
  });

  it('G6: handlers run in order, each when the one before has nothing more to do', async () => {
    const order: string[] = [];
    const noting = (name: string, handler: CleanupHandler<Spec>): CleanupHandler<Spec> => ({
      ...handler,
      run(input, context) {
        order.push(name);
        return handler.run(input, context);
      },
    });
    const made = await started([
      noting('wait', noOutputsLeft(Cubes.kind, ofInput)),
      noting('remove', removeOutputs(Squares.kind, ofInput)),
      noting('own', { outputs: [shared(Squares)], run: () => [] }),
    ]);
    await made.state.create(Cubes.new('c', { value: 1 }, { labels: { of: 'a' } }));
    await made.state.teardown(Numbers.at('a'));
    await settled();
    expect(order).toEqual(['wait']);
    expect(await idsOf(made)).toEqual(['a1', 'a2', 'b1']);
    await made.state.destroy(Cubes.at('c'));
    await gone(made, Numbers.at('a'));
    expect(order).toEqual(['wait', 'wait', 'remove', 'own']);
    expect(await idsOf(made)).toEqual(['b1']);
  });

  it('G6: a handler that fails keeps the input, is tried again after a backoff, and is not hurried by its inputs', async () => {
    let failures = 1;
    const made = await started([
      {
        inputs: [Factors.kind],
        run({ spec }, { logger }) {
          logger.info({ value: spec.value }, 'letting go');
          if (failures-- > 0) throw new Error('the hypervisor is away');
        },
      },
    ]);
    await made.state.teardown(Numbers.at('a'));
    await settled();
    await made.state.create(Factors.new('f', { factor: 1 }));
    await settled();
    expect(await finalizersOf(made, Numbers.at('a'))).toEqual(['Cleaner']);
    expect(counts(made)).toMatchObject({ failed: 1 });
    await made.clock.advance(500);
    await gone(made, Numbers.at('a'));
  });

  it('G6: a handler can skip until its inputs change, and ask to be called again', async () => {
    const answers = [
      () => {
        throw new SkipError('not yet');
      },
      () => requeueAfter(1000),
      () => undefined,
    ];
    let calls = 0;
    const made = await started([{ inputs: [Factors.kind], run: () => answers[calls++]?.() }]);
    await made.state.teardown(Numbers.at('a'));
    await settled();
    expect(counts(made)).toMatchObject({ skipped: 1, failed: 0 });
    await made.state.create(Factors.new('f', { factor: 1 }));
    await settled();
    expect(calls).toBe(2);
    await made.clock.advance(1000);
    await gone(made, Numbers.at('a'));
    expect(calls).toBe(3);
  });

  it('G6: one output that cannot be removed does not keep the others, and is tried again', async () => {
    let isDenied = true;
    const guarded = filter(new InMemoryState(), (access) => {
      if (isDenied && access.id === 'a1' && access.verb === verbs.destroy) throw denied(access);
    });
    const made = await started([removeOutputs(Squares.kind, ofInput)], { core: wrapState(guarded) });
    await made.state.teardown(Numbers.at('a'));
    await eventually(async () => expect(await idsOf(made)).toEqual(['a1', 'b1']));
    expect(made.runtime.report().controllers[0]?.lastError?.message).toContain(
      '1 failed: Squares.test.cosi.dev(test/a1)',
    );
    isDenied = false;
    await made.clock.advance(500);
    await gone(made, Numbers.at('a'));
    expect(await idsOf(made)).toEqual(['b1']);
  });

  it('G6, G7: works off what was torn down while it was away, chains included', async () => {
    const before = await started([removeOutputs(Squares.kind, ofInput)]);
    await before.stop();
    await before.state.teardown(Numbers.at('a'));
    const after = harness([cleaner([removeOutputs(Squares.kind, ofInput)]), destroy(Numbers.kind)], {
      core: before.state,
    });
    void after.start();
    await eventually(async () =>
      expect((await before.state.list(Numbers.kind)).map((r) => r.metadata.id)).toEqual(['b']),
    );
    expect(await idsOf(before)).toEqual(['b1']);
  });

  it('G6: lets ten thousand outputs of a hundred inputs go', { timeout: 30_000 }, async () => {
    const made = harness([cleaner([removeOutputs(Squares.kind, ofInput)], { concurrency: 4 })]);
    const { state } = made;
    for (let i = 0; i < 100; i++) {
      await state.create(Numbers.new(`${i}`, { value: i }, { phase: 'tearingDown', finalizers: ['Cleaner'] }));
      for (let j = 0; j < 100; j++)
        await state.create(Squares.new(`${i}-${j}`, { value: j }, { labels: { of: `${i}` } }));
    }
    void made.start();
    await eventually(async () => expect(await idsOf(made)).toEqual([]));
    await eventually(async () => {
      expect((await state.list(Numbers.kind)).filter(({ metadata }) => metadata.finalizers.length > 0)).toEqual([]);
    });
  });

  it('G6: a wrong set-up is an error that says what is wrong', () => {
    const handler = { run: () => undefined };
    expect(() => cleaner([])).toThrow('has no handlers');
    expect(() => cleaner([{} as CleanupHandler<Spec>])).toThrow('has no run function');
    expect(() => cleaner([handler], { name: '' })).toThrow('needs a name');
    expect(() => cleaner([handler], { concurrency: 0 })).toThrow('concurrency of 0');
    expect(() => cleaner([noOutputsLeft(Numbers.kind, ofInput)])).toThrow('which is the input itself');
    const both = [
      { ...handler, outputs: [shared(Cubes)] },
      { ...handler, outputs: [exclusive(Cubes)] },
    ];
    expect(() => cleaner(both)).toThrow('as exclusive and as shared');
  });
});
