import { check, equal } from '../assertions.js';
import { show } from '../show.js';
import { counting, ofInts, seenInts, sumOf } from './controllers.js';
import { Ints, Sums } from './kinds.js';
import type { RuntimeSuite } from './runtime-suite.js';
import { patientBackoff, type RuntimeTest } from './runtime-test.js';

/** What code can throw: errors, and what nothing can be asked of. */
const thrown: readonly unknown[] = [
  new Error('an error'),
  new TypeError('an error of another class'),
  'a text',
  undefined,
  null,
  0,
  Symbol('a symbol'),
  Object.freeze({ code: 'something' }),
  Object.create(null),
  {
    toString() {
      throw new Error('it cannot be shown');
    },
  },
];

/** Every record of an error has one with a stack, and names what was worked on. */
function checkLogged(t: RuntimeTest, controller: string, least: number, resource?: string): void {
  const records = t.log.errorsOf(controller);
  check(records.length >= least, `expected ${least} errors of ${controller} in the log, found ${records.length}`);
  for (const facts of records) {
    const { err } = facts;
    check(
      err instanceof Error && typeof err.stack === 'string',
      `a record must have the error with its stack: ${show(facts)}`,
    );
    if (resource !== undefined)
      check(String(facts.resource).includes(resource), `a record must name the resource ${resource}: ${show(facts)}`);
  }
}

export function failureTests({ it }: RuntimeSuite): void {
  it('C5, C14: a run that throws whatever it likes is called again, and others go on', async (t) => {
    let runs = 0;
    const { controller } = counting(t.lib);
    const failing = {
      ...controller,
      name: 'Failing',
      run(context: Parameters<typeof controller.run>[0]) {
        const run = runs++;
        if (run < thrown.length) throw thrown[run];
        if (run < 2 * thrown.length) return Promise.reject(thrown[run - thrown.length]);
        return controller.run(context);
      },
    };
    const run = t.run([failing, sumOf(t.lib, 'Sum', Ints.kind, Sums.at('all'))]);
    await t.putMany('i', 5);
    await t.specsBecome(Sums.kind, { all: { value: 10 } }, 'what the other controller made');
    await t.until(
      () => runs > 2 * thrown.length,
      () => `it was called again after each failure: ${runs} times`,
    );
    checkLogged(t, 'Failing', 2 * thrown.length);
    await t.becomes(() => run.report('Failing').restarts, 2 * thrown.length, 'its restarts');
    equal(run.report('Failing').counts.failed, 2 * thrown.length, 'its failures');
    equal(run.report('Sum').restarts, 0, 'the restarts of the other controller');
  });

  it('Q5, C14: a reconcile that throws whatever it likes is called again, and others go on', async (t) => {
    const calls = new Map<string, number>();
    const run = t.run([
      ofInts(t.lib, ({ id }) => {
        const call = calls.get(id) ?? 0;
        calls.set(id, call + 1);
        if (id !== 'bad' || call >= 2 * thrown.length) return;
        if (call < thrown.length) throw thrown[call];
        return Promise.reject(thrown[call - thrown.length]);
      }),
    ]);
    await t.put('bad', 1);
    await t.putMany('i', 5);
    await t.until(() => calls.size === 6, 'all items were reconciled');
    await t.until(
      () => (calls.get('bad') ?? 0) > 2 * thrown.length,
      () => `it was called again each time: ${calls.get('bad')}`,
    );
    checkLogged(t, 'OfInts', 2 * thrown.length, 'bad');
    equal(run.report('OfInts').counts.failed, 2 * thrown.length, 'its failures');
    await t.put('later', 1);
    await t.until(() => calls.has('later'), 'a later item was reconciled');
  });

  it('C14: a mapper that throws is called again', async (t) => {
    const { controller, calls } = seenInts(t.lib);
    let isFailing = true;
    const run = t.run([
      {
        ...controller,
        inputs: [
          ...controller.inputs,
          t.lib.mapped(Sums.kind, ({ id }) => {
            if (isFailing) throw 'a text';
            return Ints.at(id);
          }),
        ],
      },
    ]);
    await t.state.create(Sums.new('a', { value: 1 }));
    await t.until(() => run.report('SeenInts').counts.failed >= 2, 'the mapper has failed twice');
    checkLogged(t, 'SeenInts', 2, 'a');
    isFailing = false;
    await t.until(() => calls.includes('a'), 'what was mapped is reconciled');
  });

  it('C5: delays grow with each failure in a row', async (t) => {
    const times: number[] = [];
    const attempts: number[] = [];
    const { controller } = counting(t.lib);
    t.run(
      [
        {
          ...controller,
          async run({ events }) {
            for await (const { attempt } of events) {
              times.push(t.clock.monotonicMs());
              attempts.push(attempt);
              if (times.length < 6) throw new Error('no luck');
            }
          },
        },
      ],
      { backoff: { initialMs: 3, maxMs: 12, factor: 2, jitter: 0 } },
    );
    await t.until(
      () => times.length === 6,
      () => `it was called six times: ${times.length}`,
    );
    equal(attempts, [1, 2, 3, 4, 5, 6], 'the attempts that its events tell');
    for (const [i, least] of [3, 6, 12, 12, 12].entries()) {
      const pauseMs = (times[i + 1] ?? 0) - (times[i] ?? 0);
      check(pauseMs >= least - 1, `the pause after failure ${i + 1} must be ${least} ms, it was ${pauseMs} ms`);
    }
  });

  it('C5: the backoff can be reset', async (t) => {
    const attempts: number[] = [];
    const { controller } = counting(t.lib);
    t.run([
      {
        ...controller,
        async run({ events, resetRestartBackoff }) {
          for await (const { attempt } of events) {
            attempts.push(attempt);
            if (attempts.length === 3) resetRestartBackoff();
            if (attempts.length < 5) throw new Error('no luck');
          }
        },
      },
    ]);
    await t.becomes(() => attempts, [1, 2, 3, 2, 3], 'the attempts');
  });

  it('C5: a run that returns ends that controller only', async (t) => {
    const { controller } = counting(t.lib);
    const run = t.run([
      { ...controller, name: 'Brief', run: () => undefined },
      sumOf(t.lib, 'Sum', Ints.kind, Sums.at('all')),
    ]);
    await t.becomes(() => run.report('Brief').status, 'ended', 'its status');
    await t.put('a', 3);
    await t.specsBecome(Sums.kind, { all: { value: 3 } }, 'what the other controller made');
    equal(run.report('Brief').restarts, 0, 'its restarts');
  });

  it('C5: what a failed run left behind can write no more', async (t) => {
    const late: unknown[] = [];
    let runs = 0;
    t.run(
      [
        {
          name: 'Careless',
          inputs: [t.lib.weak(Ints.kind)],
          outputs: [t.lib.exclusive(Sums)],
          async run({ events, state, clock }) {
            if (++runs > 1) for await (const _ of events);
            clock.schedule(5, () => {
              state.create(Sums.new('late', { value: 1 })).then(
                () => late.push('written'),
                () => late.push('refused'),
              );
            });
            throw new Error('no luck');
          },
        },
      ],
      { backoff: { initialMs: 1, maxMs: 1 } },
    );
    await t.becomes(() => late, ['refused'], 'what became of a write of a run that had failed');
    equal(await t.specs(Sums.kind), {}, 'what is there');
  });

  it('C5, W16: while it waits to be called again, the report says so and why', async (t) => {
    const { controller } = counting(t.lib);
    const failing = { ...controller, run: () => Promise.reject(new Error('no luck')) };
    const run = t.run([failing], { backoff: patientBackoff });
    await t.becomes(() => run.report('Counting').isRestarting, true, 'whether it waits');
    equal(run.report('Counting').lastError?.message, 'no luck', 'its last error');
    const health = run.runtime.report().health.parts.find(({ name }) => name === 'Counting');
    equal(health?.status, 'degraded', 'its health');
    check(health?.reason?.includes('no luck') === true, `the reason must be told: ${health?.reason}`);
  });
}
