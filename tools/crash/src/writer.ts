// The process that is killed: it writes to the store of a folder at random, and keeps a journal on file descriptor 3.

import { Seeded } from '@cosi-ts/harness';
import { isInvalidBookmark, type TypedResource } from '@cosi-ts/resource';
import { type State, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { openLevelDBStore } from '@cosi-ts/store-leveldb';
import { eventText, Journal } from './journal.js';
import { bookmarkText, marshalerOf, type Stack, summary, Thing, textOf } from './things.js';

/** What a writer is told. */
export interface WriterOrders {
  readonly folder: string;
  readonly stack: Stack;
  readonly seed: number;
  readonly namespaces: readonly string[];
  /** How many writes are in progress at once. Each worker has resources of its own. */
  readonly workers: number;
  /** Where the watcher of each namespace goes on. */
  readonly bookmarks: Readonly<Record<string, string>>;
  /** How many events the log keeps. */
  readonly maxEvents: number;
  /** How many writes each worker makes. Default: as many as it can until it is killed. */
  readonly writes?: number | undefined;
  /** The workers wait for each other after every write, so that each round of writes is a group of its own. */
  readonly inStep?: boolean | undefined;
}

type ThingResource = TypedResource<{ text: string }>;

const idsOfWorker = 6;

const orders = JSON.parse(process.argv[2] as string) as WriterOrders;
const journal = new Journal(3);
let writes = 0;

/** Writes to resources of its own, one write after the other. */
class Worker {
  readonly #random: Seeded;
  readonly #known = new Map<string, ThingResource>();

  constructor(
    private readonly name: string,
    seed: number,
  ) {
    this.#random = new Seeded(seed);
  }

  /** Takes over what an earlier writer left. */
  async adopt(): Promise<void> {
    for (const [namespace, state] of states) {
      for (const resource of await state.list(Thing.in(namespace))) {
        const { id } = resource.metadata;
        if (id.startsWith(`${this.name}-`)) this.#known.set(`${namespace}/${id}`, resource);
      }
    }
  }

  async write(): Promise<void> {
    const random = this.#random;
    const namespace = random.pick(orders.namespaces);
    const state = states.get(namespace) as State;
    const id = `${this.name}-${random.below(idsOfWorker)}`;
    const key = `${namespace}/${id}`;
    const known = this.#known.get(key);
    const n = writes++;
    if (known !== undefined && random.float() < 0.25) {
      journal.note({ is: 'intent', n, op: 'destroy', namespace, id, text: '' });
      await state.destroy(known.metadata);
      this.#known.delete(key);
    } else {
      // Some are too large for one block of LevelDB's log.
      const size = random.float() < 0.1 ? random.below(50_000) : random.below(400);
      const text = `${orders.seed}-${n} ${'x'.repeat(size)}`;
      journal.note({
        is: 'intent',
        n,
        op: known === undefined ? 'create' : 'update',
        namespace,
        id,
        text: summary(text),
      });
      const made = Thing.new(id, { text }, { namespace, labels: { worker: this.name } });
      const written = known === undefined ? state.create(made) : state.update(made.withMetadata(known.metadata));
      this.#known.set(key, await written);
    }
    journal.note({ is: 'acknowledged', n });
  }
}

/** Watches all of a namespace, from where the last watcher ended. */
async function watch(namespace: string, state: State): Promise<void> {
  const kind = Thing.in(namespace);
  const bookmark = orders.bookmarks[namespace];
  const anew = () => state.watchKind(kind, { bootstrapBookmark: true });
  const resumed = bookmark !== undefined;
  const events = await (resumed
    ? state.watchKind(kind, { startFromBookmark: Buffer.from(bookmark, 'hex') }).catch((error: unknown) => {
        // It has been forgotten, where the log is short.
        if (isInvalidBookmark(error) && orders.maxEvents < 100_000) return anew();
        throw error;
      })
    : anew());
  for await (const event of events) {
    if (event.type === 'errored') throw event.error;
    if (event.type === 'bootstrapped' || event.bookmark === undefined) continue;
    const place = { is: 'seen', namespace, bookmark: bookmarkText(event.bookmark) } as const;
    if (event.type === 'noop') journal.note({ ...place, anew: true });
    else {
      const { metadata } = event.resource;
      journal.note({
        ...place,
        event: eventText(event.type, metadata.id, metadata.version as bigint, textOf(event.resource)),
      });
    }
  }
}

const store = await openLevelDBStore(orders.folder, {
  marshaler: marshalerOf(orders.stack),
  log: { maxEvents: orders.maxEvents, stepEvents: 50 },
});
const states = new Map<string, State>();
for (const namespace of orders.namespaces) {
  const core = new InMemoryState(namespace, { store: store.namespace(namespace), history: { maxEvents: 50 } });
  states.set(namespace, wrapState(core));
}
const workers = Array.from({ length: orders.workers }, (_, i) => new Worker(`w${i}`, orders.seed * 1000 + i));
for (const worker of workers) await worker.adopt();
for (const [namespace, state] of states) {
  watch(namespace, state).catch((error: unknown) => {
    console.error(error);
    process.exit(3);
  });
}
process.send?.('ready');

const { writes: each = Number.POSITIVE_INFINITY, inStep = false } = orders;
if (inStep) {
  for (let i = 0; i < each; i++) await Promise.all(workers.map((worker) => worker.write()));
} else {
  await Promise.all(
    workers.map(async (worker) => {
      for (let i = 0; i < each; i++) await worker.write();
    }),
  );
}
for (const state of states.values()) await state.close();
await store.close();
process.disconnect?.();
