import { check, equal } from '../assertions.js';
import type { RuntimeSuite } from './runtime-suite.js';

export function taskTests({ it }: RuntimeSuite): void {
  it('C13: tasks are kept equal to what is wanted', async (t) => {
    const running = new Map<string, string>();
    let crashes = 2;
    const tasks = new t.lib.TaskRunner(
      async ({ id, spec, signal }) => {
        check(!running.has(id), `there are two tasks ${id} at once`);
        running.set(id, spec);
        try {
          if (id === 'crashing' && crashes-- > 0) throw new Error('no luck');
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        } finally {
          running.delete(id);
        }
      },
      { clock: t.clock, logger: t.log, backoff: { initialMs: 2, maxMs: 4 } },
    );
    t.cleanup(() => tasks.close());
    const shown = () => Object.fromEntries(running);
    await tasks.reconcile([
      ['a', 'one'],
      ['b', 'one'],
      ['crashing', 'one'],
    ]);
    await t.becomes(shown, { a: 'one', b: 'one', crashing: 'one' }, 'the tasks');
    equal(
      tasks.report().find(({ id }) => id === 'crashing')?.restarts,
      2,
      'how often the one that crashed was started again',
    );
    await t.within(
      tasks.reconcile([
        ['a', 'one'],
        ['b', 'two'],
        ['c', 'one'],
      ]),
      'the tasks to be reconciled',
    );
    await t.becomes(shown, { a: 'one', b: 'two', c: 'one' }, 'the tasks after that');
    await t.within(tasks.close(), 'the tasks to end');
    equal(shown(), {}, 'the tasks at the end');
    equal(t.clock.timers, 0, 'timers that are left');
  });
}
