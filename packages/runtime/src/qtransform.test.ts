import { type Metadata, type TypedKind, type TypedPointer, UnavailableError } from '@cosi-ts/resource';
import { filter, type State, verbs, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { mapped } from './inputs.js';
import { noItems, sameId } from './mappers.js';
import { shared } from './outputs.js';
import { type QTransformOptions, qtransform } from './qtransform.js';
import { RequeueError, requeueAfter, SkipError } from './requeue.js';
import { eventually, type Harness, harness, settled } from './testdata/harness.js';
import { Factors, Numbers, Squares } from './testdata/kinds.js';
import { destroyOutput } from './transform-output.js';

type Spec = { value: number };

function squarer(more: Partial<QTransformOptions<Spec, Spec>> = {}) {
  return qtransform({
    name: 'Squarer',
    input: Numbers.kind,
    output: Squares.kind,
    transform(draft, input) {
      draft.spec.value = input.spec.value ** 2;
    },
    ...more,
  });
}

function started(more: Partial<QTransformOptions<Spec, Spec>> = {}): Harness {
  const made = harness([squarer(more)]);
  void made.start();
  return made;
}

const counts = ({ runtime }: Harness) => runtime.report().controllers[0]?.counts;

async function metadataOf({ state }: Harness, pointer: TypedPointer<unknown>): Promise<Metadata | undefined> {
  const found = (await state.list({ namespace: pointer.namespace, type: pointer.type })).find(
    ({ metadata }) => metadata.id === pointer.id,
  );
  return found?.metadata;
}

async function values({ state }: Harness, kind: TypedKind<Spec> = Squares.kind) {
  return Object.fromEntries((await state.list(kind)).map(({ metadata, spec }) => [metadata.id, spec.value]));
}

describe('qtransform', () => {
  it('G1, G5: makes one output of each input, which it owns, and holds its finalizer on the input', async () => {
    const made = started();
    await made.state.create(Numbers.new('a', { value: 2 }));
    await made.state.create(Numbers.new('b', { value: 3 }));
    await eventually(async () => expect(await values(made)).toEqual({ a: 4, b: 9 }));
    expect(await metadataOf(made, Squares.at('a'))).toMatchObject({ owner: 'Squarer', phase: 'running' });
    expect(await metadataOf(made, Numbers.at('a'))).toMatchObject({ finalizers: ['Squarer'] });
    await made.state.modify(Numbers.at('a'), (draft) => {
      draft.spec.value = 5;
    });
    await eventually(async () => expect(await values(made)).toEqual({ a: 25, b: 9 }));
  });

  it('G1: an input that maps to none is skipped, and gets no finalizer', async () => {
    const made = started({
      map: (input) => (input.spec.value > 0 ? Squares.at(`square of ${input.metadata.id}`) : undefined),
      unmap: (output) => Numbers.at(output.id.slice('square of '.length)),
    });
    await made.state.create(Numbers.new('none', { value: -1 }));
    await made.state.create(Numbers.new('some', { value: 2 }));
    await eventually(async () => expect(await values(made)).toEqual({ 'square of some': 4 }));
    expect((await made.state.get(Numbers.at('none'))).metadata.finalizers).toEqual([]);
    expect(counts(made)).toMatchObject({ skipped: 1, failed: 0 });
    await made.state.teardown(Numbers.at('some'));
    await eventually(async () => expect(await values(made)).toEqual({}));
    await eventually(async () => expect((await metadataOf(made, Numbers.at('some')))?.finalizers).toEqual([]));
  });

  it('G5: the finalizer is on the input before the output is written', async () => {
    const seen: unknown[] = [];
    const made = started({
      async transform(_draft, input, { state }) {
        seen.push((await state.get(Numbers.at(input.metadata.id))).metadata.finalizers);
      },
    });
    await made.state.create(Numbers.new('a', { value: 2 }));
    await eventually(() => expect(seen[0]).toEqual(['Squarer']));
  });

  it('Q2, G5: the change that its own finalizer is gives it no more to do', async () => {
    const made = started({ concurrency: 4 });
    for (const id of ['a', 'b', 'c']) await made.state.create(Numbers.new(id, { value: 2 }));
    await eventually(async () => expect(await values(made)).toEqual({ a: 4, b: 4, c: 4 }));
    await settled();
    expect(counts(made)).toMatchObject({ reconciled: 3, writes: 6 });
  });

  it.each([
    [
      'a change',
      (made: Harness) => made.state.modify(Numbers.at('a'), (draft) => void Object.assign(draft.spec, { value: 3 })),
    ],
    ['a finalizer of another', (made: Harness) => made.state.addFinalizer(Numbers.at('a'), 'other')],
    ['a request', (made: Harness) => Promise.resolve(made.runtime.queue('Squarer', Numbers.at('a')))],
    [
      'another life',
      async (made: Harness) => {
        await made.state.removeFinalizer(Numbers.at('a'), 'Squarer');
        await made.state.destroy(Numbers.at('a'));
        await made.state.create(Numbers.new('a', { value: 3 }));
        await made.state.addFinalizer(Numbers.at('a'), 'Squarer');
      },
    ],
  ])('Q2, G5: %s that comes at the same time does', async (_what, meanwhile) => {
    const seen: string[] = [];
    const made: Harness = started({
      async transform(_draft, { metadata, spec }) {
        seen.push(`${metadata.version}: ${spec.value}`);
        if (seen.length === 1) await meanwhile(made);
        await settled();
      },
    });
    await made.state.create(Numbers.new('a', { value: 2 }));
    await eventually(() => expect(counts(made)?.reconciled).toBe(2));
    expect(seen[0]).toBe('2: 2');
    await eventually(() => expect(seen.length).toBeGreaterThan(1));
    const { metadata, spec } = await made.state.get(Numbers.at('a'));
    await eventually(() => expect(seen.at(-1)).toBe(`${metadata.version}: ${spec.value}`));
  });

  it.each([
    ['changes', async (state: State) => state.addFinalizer(Numbers.at('a'), 'other'), { a: 4 }, ['other', 'Squarer']],
    ['destroys', async (state: State) => state.destroy(Numbers.at('a')), {}, undefined],
  ])(
    'G5: holds an input as it is then when someone %s it at the same time',
    async (_what, meanwhile, outputs, finalizers) => {
      const inner = wrapState(new InMemoryState());
      let once = 0;
      const guarded = filter(inner, async ({ verb, type }) => {
        if (verb === verbs.update && type === Numbers.type && once++ === 0) await meanwhile(inner);
      });
      const made = harness([squarer()], { core: wrapState(guarded) });
      await inner.create(Numbers.new('a', { value: 2 }));
      void made.start();
      await eventually(() => expect(counts(made)?.reconciled).toBeGreaterThan(0));
      await settled();
      expect(await values(made)).toEqual(outputs);
      expect((await metadataOf(made, Numbers.at('a')))?.finalizers).toEqual(finalizers);
      expect(counts(made)).toMatchObject({ failed: 0 });
    },
  );

  it('G5: when the input is torn down, the removal runs, the output goes, then the finalizer', async () => {
    const order: string[] = [];
    const made = started({
      async finalizerRemoval(input, { state }) {
        const output = await state.find(Squares.at(input.metadata.id));
        order.push(`removal, output ${output?.metadata.phase ?? 'gone'}`);
        return order.length === 1 ? requeueAfter(1000) : undefined;
      },
    });
    await made.state.create(Numbers.new('a', { value: 2 }));
    await eventually(async () => expect(await values(made)).toEqual({ a: 4 }));
    await made.state.addFinalizer(Squares.at('a'), 'held');
    await made.state.teardown(Numbers.at('a'));
    await settled();
    expect(order).toEqual(['removal, output running']);
    expect((await metadataOf(made, Squares.at('a')))?.phase).toBe('running');
    await made.clock.advance(1000);
    await eventually(async () => expect((await metadataOf(made, Squares.at('a')))?.phase).toBe('tearingDown'));
    await settled();
    expect((await metadataOf(made, Numbers.at('a')))?.finalizers).toEqual(['Squarer']);
    await made.state.removeFinalizer(Squares.at('a'), 'held');
    await eventually(async () => expect((await metadataOf(made, Numbers.at('a')))?.finalizers).toEqual([]));
    expect(await values(made)).toEqual({});
    expect(order.slice(0, 2)).toEqual(['removal, output running', 'removal, output running']);
    expect(counts(made)).toMatchObject({ failed: 0, requeued: 1 });
  });

  it('G5: a removal that fails keeps output and finalizer, and is tried again', async () => {
    let failures = 0;
    const made = started({
      finalizerRemoval() {
        if (failures++ === 0) throw new UnavailableError('the hypervisor is away');
      },
    });
    await made.state.create(Numbers.new('a', { value: 2 }));
    await eventually(async () => expect(await values(made)).toEqual({ a: 4 }));
    await made.state.teardown(Numbers.at('a'));
    await settled();
    expect(await values(made)).toEqual({ a: 4 });
    expect((await metadataOf(made, Numbers.at('a')))?.finalizers).toEqual(['Squarer']);
    await made.clock.advance(500);
    await eventually(async () => expect((await metadataOf(made, Numbers.at('a')))?.finalizers).toEqual([]));
    expect(await values(made)).toEqual({});
  });

  it('G3: an output that is tearing down is of an earlier life: it goes, once nobody holds it, before there is a new one', async () => {
    const made = started();
    const { state } = made;
    await state.create(Numbers.new('a', { value: 2 }));
    await eventually(async () => expect(await values(made)).toEqual({ a: 4 }));
    const first = await state.get(Squares.at('a'));
    await state.addFinalizer(Squares.at('a'), 'held');
    await state.teardown(Squares.at('a'), { owner: 'Squarer' });
    await state.modify(Numbers.at('a'), (draft) => {
      draft.spec.value = 3;
    });
    await settled();
    expect(await values(made)).toEqual({ a: 4 });
    expect(counts(made)).toMatchObject({ failed: 0 });
    await state.removeFinalizer(Squares.at('a'), 'held');
    await eventually(async () => expect(await values(made)).toEqual({ a: 9 }));
    const second = await state.get(Squares.at('a'));
    expect(second.metadata).toMatchObject({ version: 1n, phase: 'running', finalizers: [] });
    expect(second.metadata.created.compare(first.metadata.created)).toBeGreaterThan(0);
  });

  it('G5: an output that someone destroyed is made again', async () => {
    const made = started();
    await made.state.create(Numbers.new('a', { value: 2 }));
    await eventually(async () => expect(await values(made)).toEqual({ a: 4 }));
    await made.state.destroy(Squares.at('a'), { owner: 'Squarer' });
    await eventually(async () => expect(await values(made)).toEqual({ a: 4 }));
  });

  it.each(['returned', 'thrown'])('G5: a requeue that is %s keeps the output’s change', async (how) => {
    let calls = 0;
    const made = started({
      transform(draft) {
        draft.spec.value = ++calls;
        if (calls > 2) return;
        if (how === 'thrown') throw new RequeueError(1000);
        return requeueAfter(1000);
      },
    });
    await made.state.create(Numbers.new('a', { value: 2 }));
    await settled();
    const written = calls;
    expect(await values(made)).toEqual({ a: written });
    await made.clock.advance(1000);
    await eventually(async () => expect((await values(made)).a).toBe(written + 1));
    expect(counts(made)).toMatchObject({ failed: 0 });
  });

  it('G5: a skip writes nothing', async () => {
    const made = started({
      transform(draft) {
        draft.spec.value = 1;
        throw new SkipError('not yet');
      },
    });
    await made.state.create(Numbers.new('a', { value: 2 }));
    await eventually(() => expect(counts(made)?.skipped).toBeGreaterThan(0));
    expect(await values(made)).toEqual({});
    expect(counts(made)).toMatchObject({ failed: 0 });
  });

  it('G5: a transform can have its output destroyed, and made again later', async () => {
    const made = started({
      transform(draft, input) {
        if (input.spec.value === 0) return destroyOutput;
        draft.spec.value = input.spec.value ** 2;
      },
    });
    const set = (value: number) =>
      made.state.modify(Numbers.at('a'), (draft) => {
        draft.spec.value = value;
      });
    await set(2);
    await eventually(async () => expect(await values(made)).toEqual({ a: 4 }));
    await made.state.addFinalizer(Squares.at('a'), 'held');
    await set(0);
    await eventually(async () => expect((await metadataOf(made, Squares.at('a')))?.phase).toBe('tearingDown'));
    await made.state.removeFinalizer(Squares.at('a'), 'held');
    await eventually(async () => expect(await values(made)).toEqual({}));
    await set(3);
    await eventually(async () => expect(await values(made)).toEqual({ a: 9 }));
    expect(counts(made)).toMatchObject({ failed: 0 });
  });

  it('G5: extra inputs wake by their mappers, extra outputs can be written', async () => {
    const Copies = Factors;
    const made = harness([
      squarer({
        extraInputs: [mapped(Numbers.in('hints'), sameId(Numbers.kind))],
        extraOutputs: [shared(Copies)],
        async transform(draft, input, { state }) {
          const hint = await state.find(Numbers.at(input.metadata.id, 'hints'));
          draft.spec.value = input.spec.value * (hint?.spec.value ?? 1);
          await state.modify(Copies.at(input.metadata.id), (copy) => {
            copy.spec.factor = draft.spec.value;
          });
        },
      }),
    ]);
    void made.start();
    await made.state.create(Numbers.new('a', { value: 2 }));
    await eventually(async () => expect(await values(made)).toEqual({ a: 2 }));
    await made.state.create(Numbers.new('a', { value: 10 }, { namespace: 'hints' }));
    await eventually(async () => expect(await values(made)).toEqual({ a: 20 }));
    expect((await made.state.get(Copies.at('a'))).spec.factor).toBe(20);
  });

  it('G5: a wrong set-up is an error that says what is wrong', () => {
    const noMapper = mapped(Factors.kind);
    const twice = [mapped(Factors.kind, noItems), mapped(Factors.at('f'), noItems)];
    expect(() => squarer({ map: () => undefined })).toThrow('map needs its reverse, unmap');
    expect(() => squarer({ extraInputs: [noMapper] })).toThrow(
      'the extra input Factors.test.cosi.dev(test) needs a mapper',
    );
    expect(() => squarer({ extraInputs: twice })).toThrow('two mappers for Factors.test.cosi.dev(test)');
    expect(() => squarer({ extraInputs: [mapped(Squares.kind, noItems)] })).toThrow('two mappers for Squares');
    expect(() => squarer({ output: Numbers.kind })).toThrow('of the same kind');
  });

  it('G5: two transforms share an output type when both say so', async () => {
    const make = (name: string, namespace: string, outputKind: 'exclusive' | 'shared') =>
      squarer({ name, input: Numbers.in(namespace), output: Squares.in(namespace), outputKind });
    const made = harness([make('One', 'one', 'shared'), make('Two', 'two', 'shared')]);
    expect(() => made.runtime.register(make('Three', 'three', 'exclusive'))).toThrow('shared output of "One", "Two"');
    void made.start();
    for (const namespace of ['one', 'two']) {
      await made.state.create(Numbers.new('a', { value: 2 }, { namespace }));
      await eventually(async () => expect(await values(made, Squares.in(namespace))).toEqual({ a: 4 }));
    }
  });

  it.each([
    ['until only these are left', { ignoreTeardownUntil: ['last'] }, 'first', 'last'],
    ['while these are there', { ignoreTeardownWhile: ['first'] }, 'first', 'last'],
  ])('G5: a teardown is ignored %s', async (_how, options, ignored, left) => {
    const made = started(options);
    const { state } = made;
    await state.create(Numbers.new('a', { value: 2 }, { finalizers: [ignored, left] }));
    await eventually(async () => expect(await values(made)).toEqual({ a: 4 }));
    await state.teardown(Numbers.at('a'));
    await state.updateWithConflicts(
      Numbers.at('a'),
      (draft) => {
        draft.spec.value = 3;
      },
      { expectedPhase: 'any' },
    );
    await eventually(async () => expect(await values(made)).toEqual({ a: 9 }));
    await state.removeFinalizer(Numbers.at('a'), ignored);
    await eventually(async () => expect(await values(made)).toEqual({}));
    await eventually(async () => expect((await metadataOf(made, Numbers.at('a')))?.finalizers).toEqual([left]));
  });

  it('G5: what it never held it does not begin to hold when that tears down', async () => {
    const made = started({ ignoreTeardownWhile: ['held'] });
    await made.state.create(Numbers.new('a', { value: 2 }, { phase: 'tearingDown', finalizers: ['held'] }));
    await settled();
    expect(await values(made)).toEqual({});
    expect((await metadataOf(made, Numbers.at('a')))?.finalizers).toEqual(['held']);
  });

  it('G5: an output of someone else is neither changed nor destroyed', async () => {
    const made = started();
    await made.state.create(Squares.new('a', { value: 7 }), { owner: 'Other' });
    await made.state.create(Numbers.new('a', { value: 2 }));
    await eventually(() => expect(counts(made)?.failed).toBeGreaterThan(0));
    await made.state.teardown(Numbers.at('a'));
    await eventually(async () => expect((await metadataOf(made, Numbers.at('a')))?.finalizers).toEqual([]));
    expect(await values(made)).toEqual({ a: 7 });
    expect(made.logger.at('warn')[0]?.facts).toMatchObject({ owner: 'Other' });
  });

  it('C7, G5: works off what happened while it was away', async () => {
    const before = started();
    const { state } = before;
    for (const id of ['changed', 'torn', 'kept']) await state.create(Numbers.new(id, { value: 2 }));
    await eventually(async () => expect(await values(before)).toEqual({ changed: 4, torn: 4, kept: 4 }));
    await before.stop();
    await state.teardown(Numbers.at('torn'));
    await state.create(Numbers.new('new', { value: 1 }));
    await state.modify(Numbers.at('changed'), (draft) => {
      draft.spec.value = 3;
    });
    const after = harness([squarer()], { core: state });
    void after.start();
    await eventually(async () => expect(await values(after)).toEqual({ changed: 9, kept: 4, new: 1 }));
    await eventually(async () => expect((await metadataOf(after, Numbers.at('torn')))?.finalizers).toEqual([]));
  });
});
