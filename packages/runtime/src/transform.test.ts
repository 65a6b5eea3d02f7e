import { isInvalidArgument, label, type TypedPointer, UnavailableError } from '@cosi-ts/resource';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { destroyReady, strong, weak } from './inputs.js';
import { exclusive, shared } from './outputs.js';
import { RequeueError, requeueAfter, SkipError } from './requeue.js';
import type { FailedInputsError } from './runtime-errors.js';
import { eventually, type Harness, harness, settled } from './testdata/harness.js';
import { Cubes, Factors, Numbers, Squares } from './testdata/kinds.js';
import { type TransformOptions, transform } from './transform.js';
import { destroyOutput } from './transform-output.js';

type Spec = { value: number };

function squarer(more: Partial<TransformOptions<Spec, Spec>> = {}) {
  return transform({
    name: 'Squarer',
    input: Numbers.kind,
    output: Squares.kind,
    transform(draft: { spec: Spec }, input: { spec: Spec }) {
      draft.spec.value = input.spec.value ** 2;
    },
    ...more,
  } as TransformOptions<Spec, Spec>);
}

function started(more: Partial<TransformOptions<Spec, Spec>> = {}): Harness {
  const made = harness([squarer(more)]);
  void made.start();
  return made;
}

const counts = ({ runtime }: Harness) => runtime.report().controllers[0]?.counts;

async function squares({ state }: Harness) {
  return Object.fromEntries((await state.list(Squares.kind)).map(({ metadata, spec }) => [metadata.id, spec.value]));
}

async function metadataOf({ state }: Harness, pointer: TypedPointer<unknown>) {
  const all = await state.list({ namespace: pointer.namespace, type: pointer.type });
  return all.find(({ metadata }) => metadata.id === pointer.id)?.metadata;
}

const set = ({ state }: Harness, id: string, value: number) =>
  state.modify(Numbers.at(id), (draft) => {
    draft.spec.value = value;
  });

describe('transform', () => {
  it('G1: makes one output of each input, which it owns, and follows its changes', async () => {
    const made = started();
    await set(made, 'a', 2);
    await set(made, 'b', 3);
    await eventually(async () => expect(await squares(made)).toEqual({ a: 4, b: 9 }));
    expect(await metadataOf(made, Squares.at('a'))).toMatchObject({ owner: 'Squarer', phase: 'running' });
    await set(made, 'a', 5);
    await eventually(async () => expect(await squares(made)).toEqual({ a: 25, b: 9 }));
    expect((await metadataOf(made, Squares.at('b')))?.version).toBe(1n);
    expect((await metadataOf(made, Numbers.at('a')))?.finalizers).toEqual([]);
  });

  it('G1: reads two lists, however many inputs are as they should be', async () => {
    const made = started();
    for (let i = 0; i < 50; i++) await set(made, `${i}`, i);
    await settled();
    const before = counts(made);
    made.runtime.queueReconcile('Squarer');
    await settled();
    expect((counts(made)?.reads ?? 0) - (before?.reads ?? 0)).toBe(2);
    expect(counts(made)?.writes).toBe(before?.writes);
  });

  it.each(['changed', 'destroyed'])(
    'G1: makes the output what it is to be, also when it is %s meanwhile',
    async (how) => {
      let meanwhile = 0;
      const made = started({
        async transform(draft, input) {
          draft.spec.value = input.spec.value ** 2;
          if (input.spec.value !== 3 || meanwhile++ > 0) return;
          if (how === 'changed') await made.state.addFinalizer(Squares.at('a'), 'held');
          else await made.state.destroy(Squares.at('a'), { owner: 'Squarer' });
        },
      });
      await set(made, 'a', 2);
      await eventually(async () => expect(await squares(made)).toEqual({ a: 4 }));
      await set(made, 'a', 3);
      await eventually(async () => expect(await squares(made)).toEqual({ a: 9 }));
      expect(counts(made)).toMatchObject({ failed: 0 });
      expect(meanwhile).toBeGreaterThanOrEqual(2);
    },
  );

  it('G1: an input that maps to none has no output, also when it had one', async () => {
    const made = started({
      map: ({ metadata, spec }) => (spec.value > 0 ? Squares.at(`square of ${metadata.id}`) : undefined),
    });
    await set(made, 'none', -1);
    await set(made, 'some', 2);
    await eventually(async () => expect(await squares(made)).toEqual({ 'square of some': 4 }));
    await set(made, 'some', -2);
    await eventually(async () => expect(await squares(made)).toEqual({}));
    expect(counts(made)).toMatchObject({ failed: 0 });
  });

  it.each(['torn down', 'gone'])(
    'G2: without input finalizers an input that is %s takes its output down',
    async (how) => {
      const made = started();
      await made.state.create(Numbers.new('a', { value: 2 }, { finalizers: how === 'gone' ? [] : ['held'] }));
      await set(made, 'b', 1);
      await eventually(async () => expect(await squares(made)).toEqual({ a: 4, b: 1 }));
      await made.state.addFinalizer(Squares.at('a'), 'held');
      if (how === 'gone') await made.state.destroy(Numbers.at('a'));
      else await made.state.teardown(Numbers.at('a'));
      await eventually(async () => expect((await metadataOf(made, Squares.at('a')))?.phase).toBe('tearingDown'));
      await settled();
      expect(await squares(made)).toEqual({ a: 4, b: 1 });
      await made.state.removeFinalizer(Squares.at('a'), 'held');
      await eventually(async () => expect(await squares(made)).toEqual({ b: 1 }));
    },
  );

  it('G2: takes away at the start what lost its input while it was away, and leaves that of others', async () => {
    const made = harness([squarer()]);
    await made.state.create(Squares.new('left over', { value: 1 }), { owner: 'Squarer' });
    await made.state.create(Squares.new('foreign', { value: 1 }), { owner: 'Other' });
    void made.start();
    await eventually(async () => expect(await squares(made)).toEqual({ foreign: 1 }));
  });

  it('G2: with input finalizers its own is on the input before the output is written', async () => {
    const seen: unknown[] = [];
    const made = started({
      inputFinalizers: true,
      async transform(_draft, input, { state }) {
        seen.push((await state.get(Numbers.at(input.metadata.id))).metadata.finalizers);
      },
    });
    await set(made, 'a', 2);
    await eventually(() => expect(seen[0]).toEqual(['Squarer']));
  });

  it('G2: on a tearing-down input the removal runs, the output goes, then the finalizer', async () => {
    const order: string[] = [];
    const made = started({
      inputFinalizers: true,
      async finalizerRemoval(input, { state, logger }) {
        logger.info({}, 'removing');
        const output = await state.find(Squares.at(input.metadata.id));
        order.push(`removal, output ${output?.metadata.phase ?? 'gone'}`);
        return order.length === 1 ? requeueAfter(1000) : undefined;
      },
    });
    await set(made, 'a', 2);
    await set(made, 'b', 1);
    await eventually(async () => expect(await squares(made)).toEqual({ a: 4, b: 1 }));
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
    expect(await squares(made)).toEqual({ b: 1 });
    expect((await metadataOf(made, Numbers.at('b')))?.finalizers).toEqual(['Squarer']);
    expect(made.logger.at('info')[0]?.facts).toEqual({
      controller: 'Squarer',
      resource: 'Numbers.test.cosi.dev(test/a)',
    });
    expect(counts(made)).toMatchObject({ failed: 0 });
  });

  it.each([
    ['fails', () => new UnavailableError('the hypervisor is away'), 1],
    ['skips', () => new SkipError('not yet'), 0],
  ])('G2: a removal that %s keeps output and finalizer', async (_how, error, failed) => {
    let isReady = false;
    const made = started({
      inputFinalizers: true,
      finalizerRemoval() {
        if (!isReady) throw error();
      },
    });
    await set(made, 'a', 2);
    await eventually(async () => expect(await squares(made)).toEqual({ a: 4 }));
    await made.state.teardown(Numbers.at('a'));
    await settled();
    expect(await squares(made)).toEqual({ a: 4 });
    expect((await metadataOf(made, Numbers.at('a')))?.finalizers).toEqual(['Squarer']);
    expect(counts(made)?.failed).toBe(failed);
    isReady = true;
    made.runtime.queueReconcile('Squarer');
    await made.clock.advance(500);
    await eventually(async () => expect((await metadataOf(made, Numbers.at('a')))?.finalizers).toEqual([]));
    expect(await squares(made)).toEqual({});
  });

  it('G2: what it never held it does not begin to hold when that tears down', async () => {
    const made = started({ inputFinalizers: true });
    await made.state.create(Numbers.new('a', { value: 2 }, { phase: 'tearingDown', finalizers: ['held'] }));
    await settled();
    expect(await squares(made)).toEqual({});
    expect((await metadataOf(made, Numbers.at('a')))?.finalizers).toEqual(['held']);
  });

  it('G2: ignoring tearing-down inputs keeps outputs until the input is gone', async () => {
    const made = started({ ignoreTearingDownInputs: true });
    await made.state.create(Numbers.new('a', { value: 2 }, { finalizers: ['held'] }));
    await eventually(async () => expect(await squares(made)).toEqual({ a: 4 }));
    await made.state.teardown(Numbers.at('a'));
    await made.state.updateWithConflicts(
      Numbers.at('a'),
      (draft) => {
        draft.spec.value = 3;
      },
      { expectedPhase: 'any' },
    );
    await eventually(async () => expect(await squares(made)).toEqual({ a: 9 }));
    await made.state.removeFinalizer(Numbers.at('a'), 'held');
    await settled();
    expect(await squares(made)).toEqual({ a: 9 });
    await made.state.destroy(Numbers.at('a'));
    await eventually(async () => expect(await squares(made)).toEqual({}));
  });

  it.each([true, undefined] as const)(
    'G2: counts only what its query asks for; input finalizers: %s',
    async (holds) => {
      const made = started({
        inputFinalizers: holds,
        inputQuery: { labels: [label('squared').is('yes')], id: '^[ab]' },
      } as Partial<TransformOptions<Spec, Spec>>);
      const labels = { squared: 'yes' };
      await made.state.create(Numbers.new('a', { value: 2 }, { labels }));
      await made.state.create(Numbers.new('b', { value: 2 }));
      await made.state.create(Numbers.new('c', { value: 2 }, { labels }));
      await settled();
      expect(await squares(made)).toEqual({ a: 4 });
      await made.state.modify(Numbers.at('b'), (draft) => {
        draft.metadata.labels.squared = 'yes';
      });
      await eventually(async () => expect(await squares(made)).toEqual({ a: 4, b: 4 }));
      await made.state.modify(Numbers.at('a'), (draft) => {
        delete draft.metadata.labels.squared;
      });
      await eventually(async () => expect(await squares(made)).toEqual({ b: 4 }));
      const held = async (id: string) => (await metadataOf(made, Numbers.at(id)))?.finalizers;
      await eventually(async () => expect(await held('a')).toEqual([]));
      expect(await held('b')).toEqual(holds ? ['Squarer'] : []);
    },
  );

  it('G3: an output that is tearing down is of an earlier life: it goes, once nobody holds it, before there is a new one', async () => {
    const made = started({ inputFinalizers: true });
    const { state } = made;
    await set(made, 'a', 2);
    await eventually(async () => expect(await squares(made)).toEqual({ a: 4 }));
    await state.addFinalizer(Squares.at('a'), 'held');
    await state.teardown(Squares.at('a'), { owner: 'Squarer' });
    await set(made, 'a', 3);
    await settled();
    expect(await squares(made)).toEqual({ a: 4 });
    await state.removeFinalizer(Squares.at('a'), 'held');
    await eventually(async () => expect(await squares(made)).toEqual({ a: 9 }));
    expect((await state.get(Squares.at('a'))).metadata).toMatchObject({ version: 1n, phase: 'running' });
    expect(counts(made)).toMatchObject({ failed: 0 });
  });

  it('G4: one failing item does not stop the others of the cycle, all errors come together, and a skip is none', async () => {
    let isMended = false;
    const made = harness([squarer({ transform: moody(() => isMended) })]);
    for (const id of ['bad1', 'good1', 'skip', 'bad2', 'good2']) await made.state.create(Numbers.new(id, { value: 2 }));
    await made.state.create(Squares.new('bad2', { value: 1 }), { owner: 'Squarer' });
    void made.start();
    await settled();
    expect(await squares(made)).toEqual({ good1: 4, good2: 4, bad2: 1 });
    const facts = made.logger.at('error').map((record) => record.facts);
    expect(facts.slice(0, 2)).toMatchObject([
      { resource: 'Numbers.test.cosi.dev(test/bad1)', err: { message: 'no luck with bad1' } },
      { resource: 'Numbers.test.cosi.dev(test/bad2)', err: { message: 'no luck with bad2' } },
    ]);
    expect(facts[2]?.err).toMatchObject({
      code: 'runtime/failed-inputs',
      failures: [{ resource: { id: 'bad1' } }, { resource: { id: 'bad2' } }],
    });
    const message = (facts[2]?.err as FailedInputsError | undefined)?.message;
    expect(message).toBe(
      '2 failed: Numbers.test.cosi.dev(test/bad1): no luck with bad1; Numbers.test.cosi.dev(test/bad2): no luck with bad2',
    );
    expect(facts[2]?.retryInMs).toBe(500);
    expect(counts(made)).toMatchObject({ failed: 1 });
    isMended = true;
    await made.clock.advance(500);
    await eventually(async () => expect(await squares(made)).toEqual({ good1: 4, good2: 4, bad1: 4, bad2: 4 }));
    expect(made.runtime.report().controllers[0]).toMatchObject({ restarts: 1, lastError: { message } });
  });

  it('G4: takes no output away while it cannot tell whose it is', async () => {
    let isMended = false;
    const made = harness([
      squarer({
        map({ metadata }) {
          if (metadata.id === 'a' && !isMended) throw new Error('unclear');
          return Squares.at(`square of ${metadata.id}`);
        },
      }),
    ]);
    await made.state.create(Squares.new('square of a', { value: 1 }), { owner: 'Squarer' });
    await made.state.create(Squares.new('left over', { value: 1 }), { owner: 'Squarer' });
    for (const id of ['a', 'b']) await made.state.create(Numbers.new(id, { value: 2 }));
    void made.start();
    await settled();
    expect(await squares(made)).toEqual({ 'left over': 1, 'square of a': 1, 'square of b': 4 });
    isMended = true;
    await made.clock.advance(500);
    await eventually(async () => expect(await squares(made)).toEqual({ 'square of a': 4, 'square of b': 4 }));
  });

  it('G4: a pass without failure resets the backoff', async () => {
    let failures = 2;
    const made = started({
      transform() {
        if (failures-- > 0) throw new Error('no luck');
      },
    });
    await set(made, 'a', 1);
    await made.clock.advance(1500);
    failures = 1;
    await set(made, 'a', 2);
    await made.clock.advance(500);
    const retries = made.logger.at('error').flatMap(({ facts }) => facts.retryInMs ?? []);
    expect(retries).toEqual([500, 1000, 500]);
  });

  it.each(['returned', 'thrown', 'thrown with a cause'])(
    'a requeue that is %s keeps the change and comes again',
    async (how) => {
      let calls = 0;
      const made = started({
        transform(draft) {
          draft.spec.value = ++calls;
          if (calls > 2) return;
          if (how === 'thrown') throw new RequeueError(1000);
          if (how === 'thrown with a cause') throw new RequeueError(1000, { cause: new Error('busy') });
          return requeueAfter(1000);
        },
      });
      await set(made, 'a', 2);
      await settled();
      const written = calls;
      expect(await squares(made)).toEqual({ a: written });
      await made.clock.advance(2000);
      await eventually(async () => expect((await squares(made)).a).toBeGreaterThan(written));
      expect((counts(made)?.failed ?? 0) > 0).toBe(how === 'thrown with a cause');
    },
  );

  it('a transform can have its output destroyed, and made again later', async () => {
    const made = started({
      transform(draft, input) {
        if (input.spec.value === 0) return destroyOutput;
        draft.spec.value = input.spec.value;
      },
    });
    await set(made, 'a', 2);
    await eventually(async () => expect(await squares(made)).toEqual({ a: 2 }));
    await set(made, 'a', 0);
    await eventually(async () => expect(await squares(made)).toEqual({}));
    await set(made, 'a', 3);
    await eventually(async () => expect(await squares(made)).toEqual({ a: 3 }));
  });

  it('extra inputs wake it, and extra outputs can be written', async () => {
    const made = started({
      extraInputs: [weak(Factors.kind)],
      extraOutputs: [shared(Cubes)],
      async transform(draft, input, { state }) {
        const factor = await state.find(Factors.at('all'));
        draft.spec.value = input.spec.value * (factor?.spec.factor ?? 1);
        await state.modify(Cubes.at(input.metadata.id), (cube) => {
          cube.spec.value = input.spec.value ** 3;
        });
      },
    });
    await set(made, 'a', 2);
    await eventually(async () => expect(await squares(made)).toEqual({ a: 2 }));
    await made.state.create(Factors.new('all', { factor: 10 }));
    await eventually(async () => expect(await squares(made)).toEqual({ a: 20 }));
    expect((await made.state.get(Cubes.at('a'))).spec.value).toBe(8);
  });

  it('G2: a wrong set-up is an error that says what is wrong', () => {
    const broken = (more: object) => () => squarer(more as Partial<TransformOptions<Spec, Spec>>);
    expect(broken({ name: '' })).toThrow('needs a name');
    expect(broken({ transform: undefined })).toThrow('no transform function');
    expect(broken({ output: Numbers.kind })).toThrow('of the same kind');
    expect(broken({ inputFinalizers: true, ignoreTearingDownInputs: true })).toThrow('cannot be ignored');
    expect(broken({ finalizerRemoval: () => undefined })).toThrow('finalizerRemoval needs inputFinalizers');
    expect(broken({ extraInputs: [strong(Numbers.kind)] })).toThrow('the input Numbers.test.cosi.dev(test) twice');
    expect(broken({ extraInputs: [destroyReady(Squares.kind)] })).toThrow('twice');
    expect(broken({ extraOutputs: [exclusive(Squares)] })).toThrow('declares the output Squares.test.cosi.dev twice');
    expect(broken({ inputQuery: { id: '(' } })).toThrow(expect.toSatisfy(isInvalidArgument));
  });

  it('G2, G3: whatever happens to inputs and outputs, the outputs follow', async () => {
    const id = fc.constantFrom('a', 'b', 'c');
    const step = fc.record({
      do: fc.constantFrom('set', 'teardown', 'destroy', 'hold', 'let go', 'wait'),
      id,
      value: fc.nat(9),
    });
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(step, { maxLength: 25 }), async (holds, steps) => {
        let luck = 0;
        const made = started({
          inputFinalizers: holds,
          transform(draft, input) {
            if (luck++ % 3 === 0 && luck < 15) throw new Error('no luck');
            draft.spec.value = input.spec.value ** 2;
          },
        } as Partial<TransformOptions<Spec, Spec>>);
        for (const each of steps) await act(made, each.do, each.id, each.value);
        for (const each of ['a', 'b', 'c']) await act(made, 'let go', each, 0);
        await made.clock.advance(600_000);
        const wanted = new Map<string, number>();
        for (const { metadata, spec } of await made.state.list(Numbers.kind)) {
          if (metadata.phase === 'running') wanted.set(metadata.id, spec.value ** 2);
          else expect(metadata.finalizers).toEqual([]);
        }
        expect(new Map(Object.entries(await squares(made)))).toEqual(wanted);
        await made.stop();
        expect(made.clock.timers).toBe(0);
      }),
      { numRuns: 40 },
    );
  }, 30_000);
});

const moody =
  (isMended: () => boolean): TransformOptions<Spec, Spec>['transform'] =>
  (draft, { metadata, spec }) => {
    if (metadata.id.startsWith('skip')) throw new SkipError('not this one');
    if (metadata.id.startsWith('bad') && !isMended()) throw new Error(`no luck with ${metadata.id}`);
    draft.spec.value = spec.value ** 2;
  };

/** Some acts make no sense in the present state: they are refused, and nothing has happened. */
async function act(made: Harness, what: string, id: string, value: number): Promise<void> {
  const { state, clock } = made;
  const acts: Record<string, () => Promise<unknown>> = {
    set: () => set(made, id, value),
    teardown: () => state.teardown(Numbers.at(id)),
    destroy: () => state.destroy(Numbers.at(id)),
    hold: () => state.addFinalizer(Squares.at(id), 'held'),
    'let go': () => state.removeFinalizer(Squares.at(id), 'held'),
    wait: () => clock.advance(value * 100),
  };
  try {
    await acts[what]?.();
  } catch (error) {
    expect((error as { code: string }).code).toMatch(/^(not-found|phase-conflict|pending-finalizers)$/);
  }
}
