import type { Pointer } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import type { Controller } from './controller.js';
import { primary, strong } from './inputs.js';
import type { QueueController, ReconcileContext } from './queue-controller.js';
import { eventually, harness } from './testdata/harness.js';
import { Numbers } from './testdata/kinds.js';

const at = Numbers.at('a');

class Holder implements QueueController {
  readonly name = 'Holder';
  readonly inputs = [primary(Numbers.kind)];
  broken = true;

  async reconcile({ id }: Pointer, { state }: ReconcileContext) {
    const number = await state.find(Numbers.at(id));
    if (number === undefined) return;
    if (number.metadata.phase === 'running') return state.addFinalizer(at);
    if (this.broken) throw new Error('the disk is in use');
    await state.removeFinalizer(at);
  }
}

describe('what blocks a teardown', () => {
  it('S19: names each finalizer, since when, its controller with the error on it, and orphans', async () => {
    const holder = new Holder();
    const { state, runtime, clock, start } = harness([holder]);
    void start();
    await state.create(Numbers.new('a', { value: 1 }));
    await eventually(async () => expect((await state.get(at)).metadata.finalizers).toEqual(['Holder']));
    expect(await runtime.blockers(at)).toEqual({
      ...{ namespace: 'test', type: at.type, id: 'a' },
      version: 2n,
      phase: 'running',
      since: undefined,
      blockers: [],
    });
    await state.addFinalizer(at, 'somebody-gone');
    await state.teardown(at);
    const since = (await state.get(at)).metadata.updated.toString();
    await eventually(() => expect(runtime.report().controllers[0]?.counts.failed).toBe(1));
    // The last change is not what began it.
    await state.addFinalizer(at, 'late');
    await clock.advance(10);

    const { blockers, ...told } = await runtime.blockers(at);
    expect(told).toMatchObject({ phase: 'tearingDown', since });
    expect(blockers).toMatchObject([
      {
        finalizer: 'Holder',
        controller: { name: 'Holder', status: 'running' },
        isOrphan: false,
        lastError: { message: 'the disk is in use', resource: { id: 'a' } },
      },
      { finalizer: 'somebody-gone', controller: undefined, isOrphan: true, lastError: undefined },
      { finalizer: 'late', isOrphan: true },
    ]);

    holder.broken = false;
    await clock.advance(60_000);
    await eventually(async () =>
      expect((await runtime.blockers(at)).blockers.map(({ finalizer }) => finalizer)).toEqual([
        'somebody-gone',
        'late',
      ]),
    );
  });

  it('S19: an error on another resource, or one that is overcome, is not told', async () => {
    const fails = new Set(['b']);
    const { state, runtime, clock, start } = harness([
      {
        name: 'Picky',
        inputs: [primary(Numbers.kind)],
        async reconcile({ id }) {
          if (fails.has(id)) throw new Error(`${id} is not liked`);
        },
      },
    ]);
    void start();
    for (const id of ['a', 'b']) {
      await state.create(Numbers.new(id, { value: 1 }));
      await state.addFinalizer(Numbers.at(id), 'Picky');
      await state.teardown(Numbers.at(id));
    }
    const errorOn = async (id: string) => (await runtime.blockers(Numbers.at(id))).blockers[0]?.lastError?.message;
    await eventually(async () => expect(await errorOn('b')).toBe('b is not liked'));
    expect(await errorOn('a')).toBeUndefined();
    fails.clear();
    await clock.advance(60_000);
    await eventually(async () => expect(await errorOn('b')).toBeUndefined());
    expect(runtime.report().controllers[0]?.lastError?.message).toBe('b is not liked');
  });

  it('S19: of a controller without a queue it is the error that keeps it from running', async () => {
    const controller: Controller = {
      name: 'Whole',
      inputs: [strong(Numbers.kind)],
      async run({ events }) {
        for await (const _ of events) throw new Error('the list is too long');
      },
    };
    const { state, runtime, start } = harness([controller]);
    await state.create(Numbers.new('a', { value: 1 }));
    await state.addFinalizer(at, 'Whole');
    await state.teardown(at);
    void start();
    await eventually(async () =>
      expect((await runtime.blockers(at)).blockers).toMatchObject([
        { finalizer: 'Whole', isOrphan: false, lastError: { message: 'the list is too long' } },
      ]),
    );
  });

  it('S19: rejects with not-found for what is gone', async () => {
    await expect(harness().runtime.blockers(at)).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('forced removal', () => {
  it('S19: removes the named finalizer only, of a resource that is torn down, and leaves a log record', async () => {
    const { state, runtime, logger } = harness();
    await state.create(Numbers.new('a', { value: 1 }));
    await state.addFinalizer(at, ['one', 'two']);
    await expect(runtime.forceRemoveFinalizer(at, 'one')).rejects.toMatchObject({ code: 'phase-conflict' });
    await state.teardown(at);
    await expect(runtime.forceRemoveFinalizer(at, '')).rejects.toThrow(TypeError);
    expect(await runtime.forceRemoveFinalizer(at, 'three')).toBe(false);
    expect(logger.records).toEqual([]);

    expect(await runtime.forceRemoveFinalizer(at, 'one', { reason: 'its controller is no more' })).toBe(true);
    expect((await state.get(at)).metadata).toMatchObject({ phase: 'tearingDown', finalizers: ['two'] });
    expect(logger.at('warn').at(-1)).toMatchObject({
      facts: { finalizer: 'one', reason: 'its controller is no more', resource: expect.stringContaining('a') },
      message: 'a finalizer was removed by force',
    });
    await expect(runtime.forceRemoveFinalizer(Numbers.at('b'), 'one')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('S19: removes from a named version only, and leaves another one as it is', async () => {
    const { state, runtime, logger } = harness();
    await state.create(Numbers.new('a', { value: 1 }));
    await state.addFinalizer(at, ['one', 'two']);
    await state.teardown(at);
    const { version } = await runtime.blockers(at);
    await state.removeFinalizer(at, 'two');
    await expect(runtime.forceRemoveFinalizer(at, 'one', { version })).rejects.toMatchObject({
      code: 'version-conflict',
    });
    expect(logger.records).toEqual([]);
    const later = await runtime.blockers(at);
    expect(later.version).not.toBe(version);
    expect(later.blockers.map(({ finalizer }) => finalizer)).toEqual(['one']);
    expect(await runtime.forceRemoveFinalizer(at, 'one', { version: later.version })).toBe(true);
    expect((await state.get(at)).metadata.finalizers).toEqual([]);
  });
});
