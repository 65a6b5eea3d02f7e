import { check, equal } from '../assertions.js';
import { ofInts } from './controllers.js';
import { Ints, Strings } from './kinds.js';
import type { RuntimeSuite } from './runtime-suite.js';
import { patientBackoff } from './runtime-test.js';

export function limitTests({ it }: RuntimeSuite): void {
  it('C8: writes can be limited, reads are not', async (t) => {
    const times: number[] = [];
    t.run([
      ofInts(
        t.lib,
        async ({ id }, { state }) => {
          for (let i = 0; i < 100; i++) await state.find(Ints.at(id));
          const begin = t.clock.monotonicMs();
          for (let i = 0; i < 15; i++) await state.create(Strings.new(`s${i}`, { text: '' }));
          times.push(t.clock.monotonicMs() - begin);
        },
        { outputs: [t.lib.exclusive(Strings)], writeLimit: { perSecond: 100, burst: 5 } },
      ),
    ]);
    await t.put('a', 1);
    await t.until(() => times.length === 1, 'all is written');
    const [tookMs = 0] = times;
    check(tookMs >= 90, `15 writes at 100 a second, 5 of them at once, must take 100 ms, they took ${tookMs} ms`);
  });

  it('C17: delays are right beyond what timers of a host can do, negative ones are none, and others are refused', async (t) => {
    const calls = new Map<string, number>();
    const delays: Readonly<Record<string, number>> = {
      long: 2 ** 31 + 10,
      longer: 2 ** 32 + 10,
      negative: -5,
      nan: Number.NaN,
      infinite: Number.POSITIVE_INFINITY,
    };
    const run = t.run(
      [
        ofInts(t.lib, ({ id }) => {
          const call = (calls.get(id) ?? 0) + 1;
          calls.set(id, call);
          const delayMs = delays[id];
          if (delayMs === undefined || call > 1) return;
          return t.lib.requeueAfter(delayMs);
        }),
      ],
      { backoff: patientBackoff },
    );
    for (const id of Object.keys(delays)) await t.put(id, 1);
    await t.becomes(() => calls.get('negative'), 2, 'the calls of what was to be called at once');
    await t.putMany('i', 20);
    await t.until(() => calls.has('i19'), 'others were called meanwhile');
    await t.becomes(() => run.report('OfInts').counts.failed, 2, 'failures');
    equal([calls.get('long'), calls.get('longer')], [1, 1], 'the calls of what was to be called much later');
    equal(run.report('OfInts').waiting, 4, 'the items that wait');
  });
}
