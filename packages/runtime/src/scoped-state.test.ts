import { isNotFound, isOwnerConflict, isPendingFinalizers } from '@cosi-ts/resource';
import { ownedState, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { AccessScope } from './access-scope.js';
import { mapped, mappedDestroyReady, primary, type QueueInput } from './inputs.js';
import { noItems } from './mappers.js';
import { exclusive } from './outputs.js';
import { isUndeclared } from './runtime-errors.js';
import { scopedState } from './scoped-state.js';
import { Factors, Numbers, Squares } from './testdata/kinds.js';

function setup(inputs: readonly QueueInput[] = [primary(Numbers.kind)]) {
  const state = wrapState(new InMemoryState());
  const work = new AbortController();
  const scope = new AccessScope('Squarer', inputs, [exclusive(Squares)]);
  return { state, work, own: scopedState(scope, ownedState(state, 'Squarer'), { callSignal: work.signal }) };
}

describe('the state of a controller', () => {
  it('C2: writing a type that is not declared is an error that names resource and controller', async () => {
    const { state, own } = setup();
    const stored = await state.create(Numbers.new('a', { value: 1 }));
    const writes = [
      own.create(Factors.new('f', { factor: 1 })),
      own.update(stored),
      own.updateWithConflicts(Numbers.at('a'), () => undefined),
      own.modify(Numbers.at('a'), () => undefined),
      own.modify(stored, () => undefined),
      own.teardown(Numbers.at('a')),
      own.destroy(Numbers.at('a')),
      own.destroyIfReady(Numbers.at('a')),
    ];
    for (const write of writes) await expect(write).rejects.toSatisfy(isUndeclared);
    await expect(own.destroy(Numbers.at('a'))).rejects.toThrow(
      'controller "Squarer" writes what is not its output: Numbers.test.cosi.dev(test/a)',
    );
    expect((await state.get(Numbers.at('a'))).metadata.version).toBe(1n);
    expect(await state.list(Factors.kind)).toEqual([]);
  });

  it('C2, A2: writes outputs in its own name, and its own only', async () => {
    const { state, own } = setup();
    const square = await own.create(Squares.new('a', { value: 1 }));
    expect(square.metadata.owner).toBe('Squarer');
    await own.modify(Squares.at('b'), (draft) => {
      draft.spec.value = 4;
    });
    expect((await state.get(Squares.at('b'))).metadata.owner).toBe('Squarer');
    await state.create(Squares.new('foreign', { value: 9 }), { owner: 'Other' });
    await expect(own.destroy(Squares.at('foreign'))).rejects.toSatisfy(isOwnerConflict);
    await own.destroy(Squares.at('foreign'), { owner: 'Other' });
    expect(own.owner).toBe('Squarer');
  });

  it('C2, C3: what is checked is what is called, whatever becomes of a pointer', async () => {
    const { state, own } = setup();
    await state.create(Factors.new('a', { factor: 1 }));
    const calls: (keyof typeof own)[] = ['get', 'find', 'destroy', 'teardown', 'destroyIfReady', 'updateWithConflicts'];
    for (const call of calls) {
      let reads = 0;
      const turning = {
        ...Factors.at('a'),
        get type() {
          return reads++ === 0 ? Squares.type : Factors.type;
        },
      };
      await (own[call] as (at: object, change?: unknown) => Promise<unknown>)(turning, () => undefined).catch(
        (error: unknown) => expect(error).toSatisfy(isNotFound),
      );
      expect(reads).toBe(1);
    }
    expect((await state.get(Factors.at('a'))).metadata).toMatchObject({ version: 1n, phase: 'running' });
  });

  it('C3: reading what is neither input nor output is an error', async () => {
    const { state, own } = setup([primary(Numbers.at('a')), mapped(Factors.kind, noItems)]);
    for (const id of ['a', 'b']) await state.create(Numbers.new(id, { value: 1 }));
    await state.create(Factors.new('f', { factor: 2 }));
    expect((await own.get(Numbers.at('a'))).spec.value).toBe(1);
    expect((await own.list(Factors.kind)).map(({ spec }) => spec.factor)).toEqual([2]);
    expect(await own.list(Squares.kind)).toEqual([]);
    expect(await own.find(Squares.at('a', 'anywhere'))).toBeUndefined();
    const reads = [
      own.get(Numbers.at('b')),
      own.find(Numbers.at('b')),
      own.list(Numbers.kind),
      own.list(Factors.in('elsewhere')),
      own.watchFor(Numbers.at('b'), {}),
    ];
    for (const read of reads) await expect(read).rejects.toSatisfy(isUndeclared);
    await expect(own.get(Numbers.at('b'))).rejects.toThrow(
      'controller "Squarer" reads what is neither its input nor its output: Numbers.test.cosi.dev(test/b)',
    );
  });

  it('C3: finalizers can be changed on primary and mapped inputs only', async () => {
    const { state, own } = setup([
      primary(Numbers.kind),
      mapped(Factors.kind, noItems),
      mappedDestroyReady(Squares.kind, noItems),
    ]);
    await state.create(Numbers.new('a', { value: 1 }), { owner: 'someone' });
    await state.create(Factors.new('f', { factor: 1 }));
    await own.create(Squares.new('a', { value: 1 }));
    await own.addFinalizer(Numbers.at('a'));
    await own.addFinalizer(Factors.at('f'), ['one', 'two']);
    expect((await state.get(Numbers.at('a'))).metadata.finalizers).toEqual(['Squarer']);
    expect((await state.get(Factors.at('f'))).metadata.finalizers).toEqual(['one', 'two']);
    await own.removeFinalizer(Numbers.at('a'));
    await own.removeFinalizer(Factors.at('f'), 'one');
    expect((await state.get(Numbers.at('a'))).metadata.finalizers).toEqual([]);
    expect((await state.get(Factors.at('f'))).metadata.finalizers).toEqual(['two']);
    await expect(own.addFinalizer(Squares.at('a'))).rejects.toSatisfy(isUndeclared);
    await expect(own.removeFinalizer(Squares.at('a'))).rejects.toSatisfy(isUndeclared);
  });

  it('S20: where something is to be gone, that it is absent is success', async () => {
    const { own } = setup();
    await own.removeFinalizer(Numbers.at('absent'));
    expect(await own.teardown(Squares.at('absent'))).toBe(true);
    await own.destroy(Squares.at('absent'));
    expect(await own.destroyIfReady(Squares.at('absent'))).toBe(true);
    await expect(own.addFinalizer(Numbers.at('absent'))).rejects.toSatisfy(isNotFound);
    await expect(own.get(Numbers.at('absent'))).rejects.toSatisfy(isNotFound);
    expect(await own.find(Numbers.at('absent'))).toBeUndefined();
  });

  it('destroys what nothing holds, and says when something does', async () => {
    const { state, own } = setup();
    await own.create(Squares.new('a', { value: 1 }));
    await state.addFinalizer(Squares.at('a'), 'held');
    expect(await own.destroyIfReady(Squares.at('a'))).toBe(false);
    expect((await state.get(Squares.at('a'))).metadata.phase).toBe('tearingDown');
    await expect(own.destroy(Squares.at('a'))).rejects.toSatisfy(isPendingFinalizers);
    await state.removeFinalizer(Squares.at('a'), 'held');
    expect(await own.destroyIfReady(Squares.at('a'))).toBe(true);
    expect(await own.find(Squares.at('a'))).toBeUndefined();
  });

  it('begins no call after its work was aborted, and ends those under way', async () => {
    const { own, work } = setup();
    const waiting = own.watchFor(Numbers.at('a'), { events: ['created'] });
    const withOwnSignal = own.watchFor(
      Numbers.at('a'),
      { events: ['created'] },
      { signal: new AbortController().signal },
    );
    work.abort('over');
    await expect(waiting).rejects.toBe('over');
    await expect(withOwnSignal).rejects.toBe('over');
    await expect(own.create(Squares.new('a', { value: 1 }))).rejects.toBe('over');
  });

  it('ends a call with the signal given to it', async () => {
    const { own } = setup();
    const caller = new AbortController();
    const waiting = own.watchFor(Numbers.at('a'), { events: ['created'] }, { signal: caller.signal });
    caller.abort('enough');
    await expect(waiting).rejects.toBe('enough');
    await expect(own.list(Squares.kind, { signal: caller.signal })).rejects.toBe('enough');
  });
});
