// Updates resources while so many watchers watch in the same process, and prints what they got.
import type { Event, Watch } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { burstOf, fill, updatedMachines } from './burst.js';
import { Machine, machine } from './subject.js';

export interface FannedOut {
  readonly deliveriesPerSecond: number;
  readonly writesPerSecond: number;
}

const [watchers = 0, updates = 0] = process.argv.slice(2, 4).map(Number);
const shape = process.argv[4];
// Large enough that no watcher falls out of it.
const state = new InMemoryState({ history: { maxEvents: 2 ** 18, maxBytes: 2 ** 31 } });
const machines = await fill(state, updatedMachines);

async function take<T>(watch: Watch<T>, events: number, count: (item: T) => number): Promise<void> {
  for (let seen = 0; seen < events; ) {
    const item = await watch.next();
    if (item.done === true) throw new Error(`a watch ended after ${seen} of ${events} events`);
    seen += count(item.value);
  }
}

function one({ type }: Event): number {
  if (type === 'errored') throw new Error('a watch failed');
  return 1;
}

const specs = Array.from({ length: 2 * updatedMachines + 1 }, (_, n) => machine('spec', n));
const takers: ((events: number) => Promise<void>)[] = [];
for (let i = 0; i < watchers; i++) {
  if (shape === 'aggregated') {
    const watch = await state.watchKindAggregated(Machine.kind);
    takers.push((events) => take(watch, events, (all) => all.reduce((sum, event) => sum + one(event), 0)));
  } else {
    const watch = await state.watchKind(Machine.kind);
    takers.push((events) => take(watch, events, one));
  }
}

async function run(events: number): Promise<FannedOut> {
  const taken = Promise.all(takers.map((take) => take(events)));
  const begin = performance.now();
  await burstOf(state, machines, specs, events);
  const written = performance.now() - begin;
  await taken;
  const all = performance.now() - begin;
  return { deliveriesPerSecond: (watchers * events) / (all / 1000), writesPerSecond: events / (written / 1000) };
}

// For the compiler of the host.
await run(Math.ceil(updates / 4));
console.log(JSON.stringify(await run(updates)));
await state.close();
