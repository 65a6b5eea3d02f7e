import { label } from '@cosi-ts/resource';
import { equal } from '../assertions.js';
import { ofInts, sumOf, sumsOfColors } from './controllers.js';
import { Ints, Sums, Totals } from './kinds.js';
import type { RuntimeSuite } from './runtime-suite.js';

export function sumTests({ it }: RuntimeSuite): void {
  it('C1, C4: a sum follows what it is the sum of', async (t) => {
    const run = t.run([sumOf(t.lib, 'Sum', Ints.kind, Sums.at('all'))]);
    await t.specsBecome(Sums.kind, { all: { value: 0 } }, 'the sum of nothing');
    await t.putMany('i', 20);
    await t.specsBecome(Sums.kind, { all: { value: 190 } }, 'the sum');
    await t.put('i0', 10);
    await t.state.destroy(Ints.at('i19'));
    await t.specsBecome(Sums.kind, { all: { value: 181 } }, 'the sum after a change and a removal');
    equal(run.report('Sum').restarts, 0, 'how often the controller was started again');
  });

  it('C1, C4: sums go by label queries', async (t) => {
    const parity = (value: string) => ({ labels: [label('parity').is(value)] });
    t.run([
      sumOf(t.lib, 'Even', Ints.kind, Sums.at('even'), parity('even')),
      sumOf(t.lib, 'Odd', Ints.kind, Sums.at('odd'), parity('odd')),
      sumOf(t.lib, 'Some', Ints.kind, Sums.at('some'), { labels: [label('parity').exists()], id: '^i[01]' }),
    ]);
    for (let i = 0; i < 6; i++) await t.put(`i${i}`, i, { parity: i % 2 === 0 ? 'even' : 'odd' });
    await t.put('none', 100);
    const [even, odd, some] = [{ value: 6 }, { value: 9 }, { value: 1 }];
    await t.specsBecome(Sums.kind, { even, odd, some }, 'the sums');
    await t.put('i4', 4, { parity: 'odd' });
    await t.specsBecome(Sums.kind, { even: { value: 2 }, odd: { value: 13 }, some }, 'the sums after a label changed');
  });

  it('C1, C2, C4: changes fall through a cascade of controllers', async (t) => {
    const tens = [0, 1, 2, 3];
    t.run([
      ...tens.map((ten) => sumOf(t.lib, `Ten ${ten}`, Ints.kind, Sums.at(`ten-${ten}`), { id: `^i${ten}` })),
      sumOf(t.lib, 'Low', Sums.kind, Totals.at('low'), { id: '^ten-[01]' }),
      sumOf(t.lib, 'High', Sums.kind, Totals.at('high'), { id: '^ten-[23]' }),
      {
        name: 'Grand',
        inputs: [t.lib.weak(Totals.at('low')), t.lib.weak(Totals.at('high'))],
        outputs: [t.lib.shared(Totals)],
        async run({ events, state }) {
          for await (const _ of events) {
            const parts = await Promise.all(['low', 'high'].map((id) => state.find(Totals.at(id))));
            await state.modify(Totals.at('grand'), (draft) => {
              draft.spec.value = parts.reduce((sum, part) => sum + (part?.spec.value ?? 0), 0);
            });
          }
        },
      },
    ]);
    for (let i = 0; i < 40; i++) await t.put(`i${Math.floor(i / 10)}${i % 10}`, i);
    await t.specsBecome(
      Totals.kind,
      { grand: { value: 780 }, high: { value: 590 }, low: { value: 190 } },
      'the totals of the cascade',
    );
  });

  it('C6: outputs that were not written since tracking began go', async (t) => {
    t.run([sumsOfColors(t.lib)]);
    await t.put('a', 1, { color: 'red' });
    await t.put('b', 2, { color: 'red' });
    await t.put('c', 3, { color: 'blue' });
    await t.state.create(Sums.new('green', { value: 7 }));
    const green = { value: 7 };
    await t.specsBecome(Sums.kind, { blue: { value: 3 }, green, red: { value: 3 } }, 'the sums');
    await t.put('c', 3, { color: 'red' });
    await t.specsBecome(Sums.kind, { green, red: { value: 6 } }, "the sums when nothing is blue, and somebody else's");
  });

  it('C2, C4: a controller that doubles what it has made wakes itself until there is nothing left to do', async (t) => {
    const run = t.run([
      {
        name: 'Doubler',
        inputs: [t.lib.weak(Ints.kind)],
        outputs: [t.lib.shared(Ints)],
        async run({ events, state }) {
          for await (const _ of events) {
            for (const { metadata, spec } of await state.list(Ints.kind)) {
              if (spec.value >= 1000) continue;
              await state.modify(Ints.at(`${metadata.id}-${spec.value}`), (draft) => {
                draft.spec.value = 2 * spec.value;
              });
            }
          }
        },
      },
    ]);
    await t.put('a', 1);
    await t.until(
      async () => (await t.state.list(Ints.kind)).some(({ spec }) => spec.value >= 1000),
      'the doubles have come to a thousand',
    );
    const values = (await t.state.list(Ints.kind)).map(({ spec }) => spec.value);
    equal(
      values.toSorted((a, b) => a - b),
      Array.from({ length: 11 }, (_, i) => 2 ** i),
      'the doubles',
    );
    await t.becomes(() => run.report('Doubler').queueLength + run.report('Doubler').inProgress, 0, 'what it has to do');
    equal(run.report('Doubler').restarts, 0, 'how often it was started again');
  });

  it('C4, Q2, Q3: controllers that sleep at their work miss nothing, and hold nobody up', async (t) => {
    const asleep = () => new Promise<void>((resolve) => t.clock.schedule(10, resolve));
    const doubles = ofInts(
      t.lib,
      async ({ id }, { state }) => {
        const int = await state.find(Ints.at(id));
        await asleep();
        if (int === undefined) return;
        await state.modify(Totals.at(id), (draft) => {
          draft.spec.value = 2 * int.spec.value;
        });
      },
      { name: 'Sleeper', concurrency: 10, outputs: [t.lib.exclusive(Totals)] },
    );
    t.run([
      {
        name: 'Slow',
        inputs: [t.lib.weak(Ints.kind)],
        outputs: [t.lib.shared(Sums)],
        async run({ events, state }) {
          for await (const _ of events) {
            const ints = await state.list(Ints.kind);
            await asleep();
            await state.modify(Sums.at('slow'), (draft) => {
              draft.spec.value = ints.reduce((sum, { spec }) => sum + spec.value, 0);
            });
          }
        },
      },
      doubles,
      sumOf(t.lib, 'Quick', Ints.kind, Sums.at('quick')),
    ]);
    const ids = await t.putMany('i', 40);
    await t.put('i0', 100);
    await t.specsBecome(Sums.kind, { quick: { value: 880 }, slow: { value: 880 } }, 'the sums');
    const expected = Object.fromEntries(ids.map((id, i) => [id, { value: i === 0 ? 200 : 2 * i }]));
    await t.specsBecome(Totals.kind, expected, 'the doubles');
  });
}
