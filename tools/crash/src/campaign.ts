import { cp, mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Seeded } from '@cosi-ts/harness';
import { isInUse, isInvalidArgument, isInvalidBookmark } from '@cosi-ts/resource';
import { type State, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { type LevelDBStore, verifyLevelDBStore } from '@cosi-ts/store-leveldb';
import { openStore, readStore } from './inspect.js';
import { readJournal } from './journal.js';
import { type Found, Model, type Problem } from './model.js';
import { startWriter } from './processes.js';
import { bookmarkPosition, bookmarkText, marshalerOf, type Stack, Thing } from './things.js';
import type { WriterOrders } from './writer.js';

export interface CampaignInit {
  /** Where it may make folders. */
  readonly folder: string;
  readonly random: Seeded;
  readonly stack: Stack;
  /** How many events the log keeps: few, and it is being compacted while the writer is killed. */
  readonly maxEvents: number;
}

/** What is wrong after a round. */
export interface RoundProblem {
  readonly is: Problem['is'] | 'damage' | 'wrong refusal' | 'failure';
  readonly what: string;
}

/** The life of one store: writers work on it and are killed, one after the other. */
export class Campaign {
  readonly #init: CampaignInit;
  readonly #store: string;
  readonly #journal: string;
  readonly #model = new Model();
  readonly #namespaces: readonly string[];
  #rounds = 0;

  constructor(init: CampaignInit) {
    this.#init = init;
    this.#store = join(init.folder, 'store');
    this.#journal = join(init.folder, 'journal');
    this.#namespaces = Array.from({ length: 2 + init.random.below(6) }, (_, i) => `namespace ${i}/ä`);
  }

  /** How many bookmarks a copy was asked to take that it must refuse. */
  refusals = 0;

  /** How many writes were acknowledged so far. */
  get acknowledged(): number {
    return this.#model.acknowledged;
  }

  /** Kills a writer, and gives what is wrong then. */
  async round(): Promise<RoundProblem[]> {
    try {
      return await this.#round();
    } catch (error) {
      return [{ is: 'failure', what: error instanceof Error ? (error.stack ?? error.message) : String(error) }];
    }
  }

  async #round(): Promise<RoundProblem[]> {
    const { random } = this.#init;
    const problems: RoundProblem[] = [];
    this.#rounds++;
    const copy = this.#rounds > 1 && random.float() < 0.2 ? await this.#copy('earlier') : undefined;
    problems.push(...(await this.#killWriter()));
    // Half of the time the store stays as the crash left it, for the next writer to find.
    const checked = random.float() < 0.5 ? await this.#copy('checked') : this.#store;
    const found = await this.#check(checked, problems);
    if (found !== undefined && copy !== undefined) await this.#checkRefusals(copy, problems);
    return problems;
  }

  /** Lets a writer work for a while, and kills it. */
  async #killWriter(): Promise<RoundProblem[]> {
    const { random, stack, maxEvents } = this.#init;
    const orders: WriterOrders = {
      folder: this.#store,
      stack,
      maxEvents,
      seed: random.below(1_000_000),
      namespaces: this.#namespaces,
      workers: random.pick([1, 4, 32, 100]),
      bookmarks: Object.fromEntries([...this.#model.places].map(([name, { bookmark }]) => [name, bookmark])),
    };
    const problems: RoundProblem[] = [];
    const writer = startWriter(orders, this.#journal);
    // Some are killed while they open the store.
    if (random.float() < 0.1) await delay(random.below(300));
    else {
      await writer.ready;
      await grown(this.#journal, random.below(80_000));
      await delay(random.below(30));
      if (random.float() < 0.1) problems.push(...(await this.#checkInUse()));
    }
    writer.kill();
    const { code, signal, errors } = await writer.ended;
    if (signal !== 'SIGKILL') problems.push({ is: 'failure', what: `the writer ended with ${code}: ${errors}` });
    return problems;
  }

  /** Compares the store with the journals; gives what it holds when it could be opened. */
  async #check(folder: string, problems: RoundProblem[]): Promise<Found | undefined> {
    const { stack } = this.#init;
    try {
      const verified = await verifyLevelDBStore(folder, { marshaler: marshalerOf(stack) });
      problems.push(...verified.damage.map(({ what }): RoundProblem => ({ is: 'damage', what })));
    } catch (error) {
      // A writer that was killed early enough leaves no store.
      if (!isInvalidArgument(error)) throw error;
    }
    await using store = await openStore(folder, stack);
    const found = await readStore(store, this.#namespaces);
    problems.push(...this.#model.check(readJournal(this.#journal), found, bookmarkPosition));
    problems.push(...(await this.#checkResumes(store, found)));
    return found;
  }

  /** A watch that goes on where the last one ended gives exactly the events since. */
  async #checkResumes(store: LevelDBStore, found: Found): Promise<RoundProblem[]> {
    const problems: RoundProblem[] = [];
    for (const [namespace, { bookmark, position }] of this.#model.places) {
      if (position < found.floor) continue;
      const state = wrapState(new InMemoryState(namespace, { store: store.namespace(namespace) }));
      const expected = (found.events.get(namespace) ?? []).filter((event) => event.position > position);
      const given = await eventsSince(state, namespace, bookmark, expected.length);
      const positions = expected.map((event) => event.position);
      if (given.join() !== positions.join()) {
        problems.push({ is: 'wrong resume', what: `${namespace} from ${position}: ${given} instead of ${positions}` });
      }
      await state.close();
    }
    return problems;
  }

  /** Bookmarks that were taken after a copy of the folder was made are none of the copy's. */
  async #checkRefusals(copy: string, problems: RoundProblem[]): Promise<void> {
    await using store = await openStore(copy, this.#init.stack);
    const log = store.namespace(this.#namespaces[0] as string).log;
    for (const [namespace, { bookmark }] of this.#model.places) {
      const epoch = bookmark.slice(0, 16);
      if (log?.epochs.some(({ id }) => Buffer.from(id).toString('hex') === epoch) === true) continue;
      const state = wrapState(new InMemoryState(namespace, { store: store.namespace(namespace) }));
      const outcome = await state
        .watchKind(Thing.in(namespace), { startFromBookmark: Buffer.from(bookmark, 'hex') })
        .then(
          () => 'taken',
          (error: unknown) => (isInvalidBookmark(error) ? 'refused' : String(error)),
        );
      if (outcome !== 'refused')
        problems.push({ is: 'wrong refusal', what: `a later bookmark of ${namespace}: ${outcome}` });
      this.refusals++;
      await state.close();
    }
  }

  /** While a writer has the store, nobody else gets it. */
  async #checkInUse(): Promise<RoundProblem[]> {
    const outcome = await openStore(this.#store, this.#init.stack).then(
      async (store) => {
        await store.close();
        return 'opened';
      },
      (error: unknown) => (isInUse(error) ? 'in use' : String(error)),
    );
    return outcome === 'in use' ? [] : [{ is: 'failure', what: `a second opening of the store: ${outcome}` }];
  }

  async #copy(name: string): Promise<string> {
    const copy = join(this.#init.folder, name);
    await rm(copy, { recursive: true, force: true });
    await mkdir(this.#store, { recursive: true });
    await cp(this.#store, copy, { recursive: true });
    return copy;
  }
}

/** Waits until a file has so many bytes, and no longer than a while. */
async function grown(path: string, bytes: number): Promise<void> {
  for (let tries = 0; tries < 1000 && (await stat(path)).size < bytes; tries++) await delay(2);
}

/** The positions of so many events since a bookmark, and of those that come beyond them at once. */
async function eventsSince(state: State, namespace: string, bookmark: string, count: number): Promise<number[]> {
  await using watch = await state.watchKindAggregated(Thing.in(namespace), {
    startFromBookmark: Buffer.from(bookmark, 'hex'),
  });
  const positions: number[] = [];
  const take = async () => {
    const { value } = await watch.next();
    for (const event of value ?? []) {
      if (event.type === 'errored') throw event.error;
      if (event.bookmark !== undefined) positions.push(bookmarkPosition(bookmarkText(event.bookmark)));
    }
  };
  while (positions.length < count) await take();
  const more = take();
  await Promise.race([more, delay(5)]);
  return positions;
}
