// Updates resources while so many watchers watch in the same process, and prints what they got.
import type { Event, Watch } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { burst, fill, updatedMachines } from './burst.js';
import { Machine } from './subject.js';

export interface FannedOut {
  readonly deliveriesPerSecond: number;
  readonly writesPerSecond: number;
}

const [watchers = 0, updates = 0] = process.argv.slice(2, 4).map(Number);
const shape = process.argv[4];
// Large enough that no watcher falls out of it.
const state = new InMemoryState({ history: { maxEvents: 2 ** 18, maxBytes: 2 ** 31 } });
const machines = await fill(state, updatedMachines);

async function take<T>(watch: Watch<T>, count: (item: T) => number): Promise<void> {
  let seen = 0;
  for await (const item of watch) {
    seen += count(item);
    if (seen >= updates) return;
  }
  throw new Error(`a watch ended after ${seen} of ${updates} events`);
}

function one({ type }: Event): number {
  if (type === 'errored') throw new Error('a watch failed');
  return 1;
}

const watching: Promise<void>[] = [];
for (let i = 0; i < watchers; i++) {
  watching.push(
    shape === 'aggregated'
      ? take(await state.watchKindAggregated(Machine.kind), (events) =>
          events.reduce((sum, each) => sum + one(each), 0),
        )
      : take(await state.watchKind(Machine.kind), one),
  );
}
const begin = performance.now();
await burst(state, machines, updates);
const written = performance.now() - begin;
await Promise.all(watching);
const all = performance.now() - begin;
const result: FannedOut = {
  deliveriesPerSecond: (watchers * updates) / (all / 1000),
  writesPerSecond: updates / (written / 1000),
};
console.log(JSON.stringify(result));
await state.close();
