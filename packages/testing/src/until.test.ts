import { defineResource } from '@cosi-ts/resource';
import { type CoreState, createWatch, type Event, filter, VirtualClock, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { destroyAndWait } from './destroy-and-wait.js';
import { type ExpectationError, isExpectation } from './expectation-error.js';
import { untilLength, untilList } from './until-list.js';
import { untilAbsent, untilResource, untilResources } from './until-resource.js';

const Disks = defineResource<{ sizeGiB: number }>({ type: 'Disks.test.cosi.dev', namespace: 'test' });

const setup = () => wrapState(new InMemoryState());

/** A wait that times out when it is told to. */
async function timedOut(wait: (options: { clock: VirtualClock; timeoutMs: number }) => Promise<unknown>) {
  const clock = new VirtualClock();
  const failed = wait({ clock, timeoutMs: 1000 }).then(
    () => undefined,
    (error: unknown) => error,
  );
  await clock.advance(1000);
  const error = await failed;
  expect(error).toSatisfy(isExpectation);
  expect(clock.timers).toBe(0);
  return error as ExpectationError;
}

describe('untilResource', () => {
  it('gives the resource as soon as the check holds, typed', async () => {
    const state = setup();
    const seen: number[] = [];
    const waited = untilResource(state, Disks.at('a'), ({ spec }) => {
      seen.push(spec.sizeGiB);
      expect(spec.sizeGiB).toBe(3);
    });
    for (let sizeGiB = 1; sizeGiB <= 4; sizeGiB++) {
      await state.modify(Disks.at('a'), (draft) => {
        draft.spec.sizeGiB = sizeGiB;
      });
    }
    expect((await waited).spec.sizeGiB).toBe(3);
    expect(seen).toEqual([1, 2, 3]);
  });

  it('is content with what is there already, and without a check', async () => {
    const state = setup();
    await state.create(Disks.new('a', { sizeGiB: 1 }));
    expect((await untilResource(state, Disks.at('a'))).spec.sizeGiB).toBe(1);
    const { namespace, type, id } = Disks.at('a');
    expect((await untilResource(state, { namespace, type, id })).metadata.id).toBe('a');
  });

  it('tells the last mismatch and what is there when the time is over', async () => {
    const state = setup();
    await state.create(Disks.new('a', { sizeGiB: 1 }, { finalizers: ['Somebody'] }));
    const error = await timedOut((options) =>
      untilResource(state, Disks.at('a'), ({ spec }) => expect(spec.sizeGiB, 'the size').toBe(3), options),
    );
    expect(error.message).toBe(
      [
        'expected Disks.test.cosi.dev(test/a) to be as it should within 1000 ms',
        'last mismatch:',
        '  the size: expected 1 to be 3 // Object.is equality',
        'what is there:',
        ...error.message.split('\n').slice(4),
      ].join('\n'),
    );
    expect(error.message).toContain('  spec:\n      sizeGiB: 1');
    expect(error.message).toContain('- Somebody');
    expect(error.cause).toMatchObject({ actual: 1, expected: 3 });
    expect(error.subject).toEqual({ namespace: 'test', type: 'Disks.test.cosi.dev', id: 'a' });
  });

  it('tells that the resource does not exist, and that a check returned false', async () => {
    const state = setup();
    const absent = await timedOut((options) => untilResource(state, Disks.at('a'), undefined, options));
    expect(absent.message).toContain('last mismatch:\n  it does not exist\nwhat is there:\n  nothing');
    await state.create(Disks.new('a', { sizeGiB: 1 }));
    const wrong = await timedOut((options) =>
      untilResource(state, Disks.at('a'), ({ spec }) => spec.sizeGiB === 2, options),
    );
    expect(wrong.message).toContain('the check returned false');
  });

  it('waits for checks that take their time, and not for one that never ends', async () => {
    const state = setup();
    await state.create(Disks.new('a', { sizeGiB: 1 }));
    await untilResource(state, Disks.at('a'), async ({ spec }) => expect(spec.sizeGiB).toBe(1));
    const error = await timedOut((options) =>
      untilResource(state, Disks.at('a'), () => new Promise(() => undefined), options),
    );
    expect(error.message).toContain('sizeGiB: 1');
  });

  it('ends with its signal, and lets go of everything', async () => {
    const { state, watches } = breakable();
    const clock = new VirtualClock();
    const aborter = new AbortController();
    const waited = untilResource(state, Disks.at('a'), undefined, { clock, signal: aborter.signal });
    await untilOpen(watches, 1);
    aborter.abort(new Error('enough'));
    await expect(waited).rejects.toThrow('enough');
    await untilOpen(watches, 0);
    expect(clock.timers).toBe(0);
    await expect(untilResource(state, Disks.at('a'), undefined, { signal: aborter.signal })).rejects.toThrow('enough');
  });

  it('watches again when the watch breaks', async () => {
    const { state, watches } = breakable();
    const waited = untilResource(state, Disks.at('a'));
    await untilOpen(watches, 1);
    watches.cut?.(new Error('the line is cut'));
    await state.create(Disks.new('a', { sizeGiB: 1 }));
    expect((await waited).metadata.id).toBe('a');
  });

  it('tells why when the state does not answer', async () => {
    const state = wrapState(
      filter(new InMemoryState(), () => {
        throw new Error('nobody may');
      }),
    );
    const error = await timedOut((options) => untilResource(state, Disks.at('a'), undefined, options));
    expect(error.message).toContain('nobody may');
    expect(error.message).toContain('not known: the state did not answer');
  });
});

describe('untilResources', () => {
  it('gives all in the order that was asked for, and names each that is not so', async () => {
    const state = setup();
    await state.create(Disks.new('b', { sizeGiB: 1 }));
    const waited = untilResources(state, [Disks.at('a'), Disks.at('b')], ({ spec }) => spec.sizeGiB === 1);
    await state.create(Disks.new('a', { sizeGiB: 1 }));
    expect((await waited).map(({ metadata }) => metadata.id)).toEqual(['a', 'b']);
    const pointers = ['a', 'b', 'c'].map((id) => Disks.at(id));
    const one = await timedOut((options) => untilResources(state, pointers, undefined, options));
    expect(one.message).toContain('expected Disks.test.cosi.dev(test/c)');
    const many = await timedOut((options) => untilResources(state, pointers, () => false, options));
    expect(many.message).toContain('3 of 3 resources');
    for (const id of ['a', 'b', 'c']) expect(many.message).toContain(`expected Disks.test.cosi.dev(test/${id})`);
  });
});

describe('untilAbsent', () => {
  it('waits until the resource is gone, and shows it when it is not', async () => {
    const state = setup();
    await untilAbsent(state, Disks.at('a'));
    await state.create(Disks.new('a', { sizeGiB: 1 }));
    const error = await timedOut((options) => untilAbsent(state, Disks.at('a'), options));
    expect(error.message).toContain('expected Disks.test.cosi.dev(test/a) to be gone');
    expect(error.message).toContain('sizeGiB: 1');
    const waited = untilAbsent(state, Disks.at('a'));
    await state.destroy(Disks.at('a'));
    await waited;
  });
});

describe('untilList and untilLength', () => {
  it('waits until the list is as it should, sorted, of those that match', async () => {
    const state = setup();
    const labels = { tier: 'fast' };
    const waited = untilList(state, Disks.kind, (disks) => disks.length === 2 && disks, { id: '^x' });
    const counted = untilLength(state, Disks.kind, 3);
    for (const id of ['x2', 'y', 'x1']) await state.create(Disks.new(id, { sizeGiB: 1 }, { labels }));
    expect((await waited).map(({ metadata }) => metadata.id)).toEqual(['x1', 'x2']);
    expect((await counted).map(({ metadata }) => metadata.id)).toEqual(['x1', 'x2', 'y']);
    const fewer = untilLength(state, Disks.kind, 1);
    for (const id of ['x2', 'y']) await state.destroy(Disks.at(id));
    expect((await fewer).map(({ spec }) => spec.sizeGiB)).toEqual([1]);
    expect(await untilLength(state, Disks.in('elsewhere'), 0)).toEqual([]);
  });

  it('shows what there is', async () => {
    const state = setup();
    await state.create(Disks.new('a', { sizeGiB: 1 }), { owner: 'DiskController' });
    await state.create(Disks.new('b', { sizeGiB: 2 }, { finalizers: ['Somebody'] }));
    const error = await timedOut((options) => untilLength(state, Disks.kind, 3, options));
    expect(error.message).toBe(
      [
        'expected 3 resources of Disks.test.cosi.dev(test) within 1000 ms',
        'last mismatch:',
        '  there are 2 instead of 3',
        'what is there:',
        '  Disks.test.cosi.dev(test/a): version 1, running, owned by DiskController {"sizeGiB":1}',
        '  Disks.test.cosi.dev(test/b): version 1, running, held by Somebody {"sizeGiB":2}',
      ].join('\n'),
    );
    for (let i = 0; i < 30; i++) await state.create(Disks.new(`c${i}`, { sizeGiB: 1 }));
    const long = await timedOut((options) => untilList(state, Disks.kind, () => false, options));
    expect(long.message).toContain('and 12 more');
  });
});

describe('destroyAndWait', () => {
  it('tears down, waits for those who hold it, and destroys, whoever owns it', async () => {
    const state = setup();
    await state.create(Disks.new('a', { sizeGiB: 1 }, { finalizers: ['Somebody'] }), { owner: 'DiskController' });
    const gone = destroyAndWait(state, Disks.at('a'));
    await untilResource(state, Disks.at('a'), ({ metadata }) => metadata.phase === 'tearingDown');
    await state.removeFinalizer(Disks.at('a'), 'Somebody');
    await gone;
    await untilAbsent(state, Disks.at('a'));
    await destroyAndWait(state, Disks.at('a'));
  });

  it('tells what holds it when it is not gone in time, and that it may not', async () => {
    const state = setup();
    await state.create(Disks.new('a', { sizeGiB: 1 }, { finalizers: ['Somebody'] }), { owner: 'DiskController' });
    await expect(destroyAndWait(state, Disks.at('a'), { owner: 'Another' })).rejects.toMatchObject({
      code: 'owner-conflict',
    });
    const error = await timedOut((options) => destroyAndWait(state, Disks.at('a'), options));
    expect(error.message).toContain('phase: tearingDown');
    expect(error.message).toContain('- Somebody');
    await state.removeFinalizer(Disks.at('a'), 'Somebody');
    expect((await state.get(Disks.at('a'))).metadata.phase).toBe('tearingDown');
  });
});

interface OpenWatches {
  open: number;
  cut: ((error: Error) => void) | undefined;
}

/** A state whose watches of one resource can be counted, and the last one cut. */
function breakable() {
  const core = new InMemoryState();
  const watches: OpenWatches = { open: 0, cut: undefined };
  const passing: CoreState = Object.assign(
    filter(core, () => undefined),
    {
      watch: async (...args: Parameters<CoreState['watch']>) => {
        const inner = await core.watch(...args);
        const cut = new Promise<Event>((resolve) => {
          watches.cut = (error) => resolve({ type: 'errored', error });
        });
        watches.open++;
        return createWatch<Event>(
          {
            pull: async () => Promise.race([inner.next().then(({ value }) => value), cut]),
            close: async () => {
              watches.open--;
              await inner.close();
            },
          },
          args[1]?.signal,
        );
      },
    },
  );
  return { state: wrapState(passing), watches };
}

async function untilOpen(watches: OpenWatches, open: number): Promise<void> {
  while (watches.open !== open) await new Promise((resolve) => setImmediate(resolve));
}
