import { label } from '@cosi-ts/resource';
import { check, equal } from '../assertions.js';
import { counting, ofInts } from './controllers.js';
import { Ints, Strings } from './kinds.js';
import type { RuntimeSuite } from './runtime-suite.js';

export function cacheTests({ it }: RuntimeSuite): void {
  it('C10: reads of a cached kind do not touch the state, and are as its own would be', async (t) => {
    for (const id of ['b', 'a', 'c']) await t.put(id, 1, { color: id === 'c' ? 'blue' : 'red' });
    const looked: unknown[] = [];
    const { controller } = counting(t.lib);
    t.run(
      [
        {
          ...controller,
          async run({ events, state }) {
            for await (const _ of events) {
              const ids = async (options = {}) =>
                (await state.list(Ints.kind, options)).map(({ metadata }) => metadata.id);
              const reads = t.core.reads(Ints);
              const result = {
                all: await ids(),
                red: await ids({ labels: [label('color').is('red')] }),
                byId: await ids({ id: '[bc]' }),
                absent: await state.find(Ints.at('x')),
                present: (await state.get(Ints.at('a'))).spec.value,
                reads: t.core.reads(Ints) - reads,
              };
              await state.get(Ints.at('a'), { uncached: true });
              looked.push({ ...result, uncachedReads: t.core.reads(Ints) - reads });
            }
          },
        },
      ],
      { cached: [Ints.kind] },
    );
    const expected = {
      all: ['a', 'b', 'c'],
      red: ['a', 'b'],
      byId: ['b', 'c'],
      absent: undefined,
      present: 1,
      reads: 0,
    };
    await t.becomes(() => looked.at(-1), { ...expected, uncachedReads: 1 }, 'what was read');
  });

  it('C10: who was woken by a change sees it in cached reads', async (t) => {
    const behind: string[] = [];
    let newest = -1;
    t.run(
      [
        ofInts(t.lib, async ({ id }, { state }) => {
          const int = await state.find(Ints.at(id));
          if (int === undefined) behind.push(id);
          if (id === 'last' && int !== undefined) newest = int.spec.value;
        }),
      ],
      { cached: [Ints.kind] },
    );
    await t.putMany('i', 50);
    for (let value = 0; value < 20; value++) await t.put('last', value);
    await t.becomes(() => newest, 19, 'the newest value that was seen');
    equal(behind, [], 'what was not seen although it had come');
  });

  it('C16: a controller sees what it has written, also in cached reads', async (t) => {
    const behind: string[] = [];
    let done = 0;
    t.run(
      [
        ofInts(
          t.lib,
          async ({ id }, { state }) => {
            for (let round = 0; round < 10; round++) {
              await state.modify(Strings.at(id), (draft) => {
                draft.spec.text = String(round);
              });
              const read = await state.find(Strings.at(id));
              if (read?.spec.text !== String(round)) behind.push(`${id} ${round}: ${read?.spec.text}`);
              const listed = (await state.list(Strings.kind)).find(({ metadata }) => metadata.id === id);
              if (listed?.spec.text !== String(round)) behind.push(`${id} ${round} in the list: ${listed?.spec.text}`);
              if (round % 3 !== 2) continue;
              await state.destroyIfReady(Strings.at(id));
              if ((await state.find(Strings.at(id))) !== undefined) behind.push(`${id} ${round}: still there`);
            }
            done++;
          },
          { outputs: [t.lib.exclusive(Strings)], concurrency: 4 },
        ),
      ],
      { cached: [Ints.kind, Strings.kind] },
    );
    await t.putMany('i', 8);
    await t.until(() => done >= 8, 'all have been done');
    equal(behind, [], 'reads that were older than what had been written');
  });

  it('C10, W16: a cache tells how it is and how many resources it holds', async (t) => {
    await t.putMany('i', 4);
    const run = t.run([], { cached: [Ints.kind] });
    await t.becomes(
      () => run.runtime.report().caches.map(({ type, status, resources }) => ({ type, status, resources })),
      [{ type: Ints.type, status: 'live', resources: 4 }],
      'what the report says of caches',
    );
    check(
      run.runtime.report().health.parts.some(({ part, status }) => part === 'cache' && status === 'live'),
      'the health report must have the cache',
    );
  });
}
