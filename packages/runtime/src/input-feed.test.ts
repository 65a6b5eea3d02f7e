import { describe, expect, it } from 'vitest';
import { mapped, mappedDestroyReady, primary } from './inputs.js';
import { fromResource, type InputMetadata, labelValue, noItems, sameId } from './mappers.js';
import { recording } from './testdata/controllers.js';
import { eventually, harness, settled } from './testdata/harness.js';
import { Factors, Numbers } from './testdata/kinds.js';

describe('inputs of a queue controller', () => {
  it('Q4: lists and queues every primary input at the start', async () => {
    const { calls, controller } = recording();
    const { state, start } = harness([controller]);
    for (const id of ['c', 'a', 'b']) await state.create(Numbers.new(id, { value: 1 }));
    await state.create(Numbers.new('elsewhere', { value: 1 }, { namespace: 'other' }));
    void start();
    await eventually(() => expect(calls).toEqual(['a', 'b', 'c']));
  });

  it('Q1: reconciles primary items when they change, and gives typed pointers', async () => {
    const values: (number | undefined)[] = [];
    const { state, start, runtime } = harness();
    runtime.register({
      name: 'Typed',
      inputs: [primary(Numbers.kind)],
      async reconcile(pointer, context) {
        values.push((await context.state.find(pointer))?.spec.value);
      },
    });
    void start();
    await state.create(Numbers.new('a', { value: 1 }));
    await eventually(() => expect(values).toEqual([1]));
    await state.modify(Numbers.at('a'), (draft) => {
      draft.spec.value = 2;
    });
    await eventually(() => expect(values).toEqual([1, 2]));
    await state.destroy(Numbers.at('a'));
    await eventually(() => expect(values).toEqual([1, 2, undefined]));
  });

  it('Q1: an input of one resource wakes for that one only', async () => {
    const { calls, controller } = recording({ inputs: [primary(Numbers.at('a'))] });
    const { state, start } = harness([controller]);
    void start();
    for (const id of ['a', 'b']) await state.create(Numbers.new(id, { value: 1 }));
    await eventually(() => expect(calls).toEqual(['a']));
    await settled();
    expect(calls).toEqual(['a']);
  });

  it('Q1: maps changes of mapped inputs by what it is told of them', async () => {
    const told: InputMetadata[] = [];
    const { calls, controller } = recording({
      inputs: [primary(Numbers.kind), mapped(Factors.kind)],
      mapInput(metadata) {
        told.push(metadata);
        return ['x', 'y'].map((id) => Numbers.at(id));
      },
    });
    const { state, start, runtime } = harness([controller]);
    void start();
    await state.create(Factors.new('f', { factor: 2 }, { labels: { of: 'x' }, finalizers: ['held'] }));
    await eventually(() => expect(calls).toEqual(['x', 'y']));
    const { namespace, type } = Factors.kind;
    const at = { namespace, type, id: 'f', labels: { of: 'x' } };
    expect(told).toEqual([{ ...at, phase: 'running', finalizersEmpty: false }]);
    await state.teardown(Factors.at('f'));
    await state.removeFinalizer(Factors.at('f'), 'held');
    await eventually(() => expect(told.at(-1)).toEqual({ ...at, phase: 'tearingDown', finalizersEmpty: true }));
    await eventually(() =>
      expect(runtime.report().controllers[0]?.counts).toMatchObject({
        mappedIn: told.length,
        mappedOut: 2 * told.length,
      }),
    );
  });

  it('Q1: a destroy-ready input is mapped when its resource is tearing down without finalizers', async () => {
    const { calls, controller } = recording({
      inputs: [primary(Numbers.kind), mappedDestroyReady(Factors.kind, sameId(Numbers.kind))],
    });
    const { state, start } = harness([controller]);
    void start();
    await state.create(Factors.new('f', { factor: 2 }, { finalizers: ['held'] }));
    await state.teardown(Factors.at('f'));
    await settled();
    expect(calls).toEqual([]);
    await state.removeFinalizer(Factors.at('f'), 'held');
    await eventually(() => expect(calls).toEqual(['f']));
    await state.destroy(Factors.at('f'));
    await eventually(() => expect(calls).toEqual(['f', 'f']));
  });

  it('Q1: mapping to what is not primary is an error, tried again like others', async () => {
    const { controller } = recording({
      inputs: [primary(Numbers.kind), mapped(Factors.kind, sameId(Factors.kind))],
    });
    const { state, start, logger } = harness([controller]);
    void start();
    await state.create(Factors.new('f', { factor: 2 }));
    await eventually(() =>
      expect(logger.at('error')[0]?.facts).toMatchObject({
        controller: 'Recorder',
        resource: 'Factors.test.cosi.dev(test/f)',
        retryInMs: 500,
        err: { code: 'runtime/undeclared', message: expect.stringContaining('not its primary input') },
      }),
    );
  });

  it('Q1: the mappers by label, by resource, and to nothing', async () => {
    const { calls, controller } = recording({
      inputs: [primary(Numbers.kind), mapped(Factors.kind, labelValue(Numbers.kind, 'of'))],
    });
    const byResource = recording({
      name: 'ByResource',
      inputs: [
        primary(Numbers.kind),
        mapped(
          Factors.kind,
          fromResource(Factors.kind, ({ spec }) => [Numbers.at(`n${spec.factor}`)]),
        ),
      ],
    });
    const idle = recording({ name: 'Idle', inputs: [primary(Numbers.kind), mapped(Factors.kind, noItems)] });
    const { state, start } = harness([controller, byResource.controller, idle.controller]);
    void start();
    await state.create(Factors.new('f', { factor: 2 }, { labels: { of: 'x' } }));
    await state.create(Factors.new('g', { factor: 3 }));
    await eventually(() => expect([calls, byResource.calls]).toEqual([['x'], ['n2', 'n3']]));
    await state.destroy(Factors.at('g'));
    await settled();
    expect([calls, byResource.calls, idle.calls]).toEqual([['x'], ['n2', 'n3'], []]);
  });

  it('Q1: a mapped input that nothing maps is an error', () => {
    const { controller } = recording({ inputs: [primary(Numbers.kind), mapped(Factors.kind)] });
    expect(() => harness([controller])).toThrow('nothing maps its input Factors.test.cosi.dev(test)');
  });

  it('C3: inputs are replaced while it runs; a change after the call has resolved is not missed', async () => {
    const { calls, controller } = recording({ inputs: [primary(Numbers.at('none'))] });
    const { state, start, runtime } = harness();
    const handle = runtime.register(controller);
    void start();
    await state.create(Numbers.new('before', { value: 1 }));
    await handle.replaceInputs([primary(Numbers.kind), mapped(Factors.kind, sameId(Numbers.kind))]);
    expect(runtime.report().watches.map(({ type, status }) => [type, status])).toEqual([
      ['Factors.test.cosi.dev', 'live'],
      ['Numbers.test.cosi.dev', 'live'],
    ]);
    await state.create(Factors.new('mapped', { factor: 1 }));
    await eventually(() => expect(calls.sort()).toEqual(['before', 'mapped']));
    await handle.replaceInputs([primary(Numbers.at('only'))]);
    await state.create(Numbers.new('not', { value: 1 }));
    await state.create(Numbers.new('only', { value: 1 }));
    await eventually(() => expect(calls).toContain('only'));
    expect(calls).not.toContain('not');
    expect(runtime.report().watches.map(({ type }) => type)).toEqual(['Numbers.test.cosi.dev']);
    await expect(handle.replaceInputs([])).rejects.toThrow(TypeError);
  });
});
