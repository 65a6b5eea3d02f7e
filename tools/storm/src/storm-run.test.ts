import { type CoreState, mapWatch } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { Parts } from './kinds.js';
import { storm } from './storm-run.js';

const options = {
  changes: 400,
  seed: 7,
  isExpected: (trouble: string) => trouble.startsWith('Flaky: failed: no luck'),
  say: () => undefined,
};

describe('a storm', { timeout: 60_000 }, () => {
  it('passes over a runtime on a state that keeps ten events', async () => {
    const core = new InMemoryState({ history: { maxEvents: 10 } });
    const { problems, changes } = await storm({ ...options, core, connect: () => core });
    expect(problems).toEqual([]);
    expect(changes).toBeGreaterThanOrEqual(400);
  });

  it('finds what gets lost on the way to the controllers', async () => {
    const inner = new InMemoryState();
    const core: CoreState = {
      get: inner.get.bind(inner),
      list: inner.list.bind(inner),
      create: inner.create.bind(inner),
      update: inner.update.bind(inner),
      destroy: inner.destroy.bind(inner),
      watch: inner.watch.bind(inner),
      watchKind: inner.watchKind.bind(inner),
      async watchKindAggregated(kind, watching) {
        const watch = await inner.watchKindAggregated(kind, watching);
        let seen = 0;
        // Every fiftieth change of a part comes to nobody.
        return mapWatch(watch, (events) =>
          events.filter(({ type }) => kind.type !== Parts.type || type === 'bootstrapped' || ++seen % 50 !== 0),
        );
      },
    };
    const { problems } = await storm({ ...options, core, connect: () => inner, patienceMs: 1000 });
    expect(problems).not.toEqual([]);
  });
});
