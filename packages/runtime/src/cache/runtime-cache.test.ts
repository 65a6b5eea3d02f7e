import { isNotFound, OverrunError } from '@cosi-ts/resource';
import { wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { mapped, primary, weak } from '../inputs.js';
import { sameId } from '../mappers.js';
import { exclusive } from '../outputs.js';
import type { QueueController } from '../queue-controller.js';
import { breakable } from '../testdata/breakable-core.js';
import { eventually, harness, settled } from '../testdata/harness.js';
import { Factors, Numbers, Squares } from '../testdata/kinds.js';

/** Squares numbers, and notes what it read. */
function squarer(seen: string[]): QueueController {
  return {
    name: 'Squarer',
    inputs: [primary(Numbers.kind), mapped(Factors.kind, sameId(Numbers.kind))],
    outputs: [exclusive(Squares)],
    async reconcile({ id }, { state }) {
      const number = await state.find(Numbers.at(id));
      seen.push(`${id}@${number?.metadata.version ?? 'gone'}`);
      if (number === undefined) return state.destroy(Squares.at(id));
      const written = await state.modify(Squares.at(id), (draft) => {
        draft.spec.value = number.spec.value ** 2;
      });
      const read = await state.get(Squares.at(id));
      expect(read.metadata.version).toBe(written.metadata.version);
    },
  };
}

describe('the cache of a runtime', () => {
  it('C10: a controller reads at least the change that it was woken by, and does not ask the state', async () => {
    const core = breakable(new InMemoryState());
    const reads: string[] = [];
    const get = core.get.bind(core);
    core.get = (pointer, options) => {
      if (pointer.type === Numbers.type) reads.push(pointer.id);
      return get(pointer, options);
    };
    const seen: string[] = [];
    const { state, start, runtime } = harness([squarer(seen)], {
      core: wrapState(core),
      cached: [Numbers.kind, Squares.kind],
    });
    await state.create(Numbers.new('a', { value: 3 }));
    void start();
    await eventually(() => expect(seen).toEqual(['a@1']));
    await state.addFinalizer(Numbers.at('a'), 'f');
    reads.length = 0;
    await eventually(() => expect(seen).toEqual(['a@1', 'a@2']));
    await state.removeFinalizer(Numbers.at('a'), 'f');
    await eventually(() => expect(seen.at(-1)).toBe('a@3'));
    reads.length = 0;
    await state.destroy(Numbers.at('a'));
    await eventually(() => expect(seen.at(-1)).toBe('a@gone'));
    expect(reads).toEqual([]);
    await settled();
    expect(runtime.report().caches).toMatchObject([
      { type: Numbers.type, status: 'live', resources: 0, unconfirmedWrites: 0 },
      { type: Squares.type, status: 'live', resources: 0, unconfirmedWrites: 0 },
    ]);
    // One watch for each kind, whoever uses it.
    expect(core.asked).toHaveLength(3);
    expect(core.open).toBe(3);
  });

  it('C10, C16: own writes are read also after an overrun, and the cache ends up like the state', async () => {
    const core = breakable(new InMemoryState());
    const seen: string[] = [];
    const { state, start, runtime, logger, clock } = harness([squarer(seen)], {
      core: wrapState(core),
      cached: [Numbers.kind, Squares.kind],
    });
    void start();
    for (let i = 0; i < 30; i++) {
      await state.create(Numbers.new(`n${i % 10}`, { value: i }));
      if (i % 7 === 0) core.cut(new OverrunError(Numbers.kind, 1n, 20n, 10));
      if (i % 3 === 0) await settled();
      if (i >= 20) continue;
      await state.destroy(Numbers.at(`n${i % 10}`));
    }
    await clock.advance(60_000);
    await eventually(async () => {
      const squares = await state.list(Squares.kind);
      expect(squares.map(({ spec }) => spec.value)).toEqual(
        [20, 21, 22, 23, 24, 25, 26, 27, 28, 29].map((n) => n ** 2),
      );
      expect(runtime.report().caches).toMatchObject([
        { resources: 10, unconfirmedWrites: 0 },
        { resources: 10, unconfirmedWrites: 0 },
      ]);
    });
    expect(logger.at('error')).toEqual([]);
  });

  it('C10: reads can go to the state, and do so in the shutdown hook', async () => {
    const found: string[] = [];
    const { state, start, stop } = harness(
      [
        {
          name: 'Reader',
          inputs: [weak(Numbers.kind)],
          async run({ events, state: own }) {
            for await (const _ of events) {
              const fresh = await own.list(Numbers.kind, { uncached: true });
              found.push(`${fresh.length}`);
            }
          },
          async shutdownHook({ state: own }) {
            found.push(`${(await own.list(Numbers.kind)).length} at the end`);
            await expect(own.get(Numbers.at('none'))).rejects.toSatisfy(isNotFound);
          },
        },
      ],
      { cached: [Numbers.kind] },
    );
    await state.create(Numbers.new('a', { value: 3 }));
    void start();
    await eventually(() => expect(found).toEqual(['1']));
    await stop();
    expect(found).toEqual(['1', '1 at the end']);
  });
});
