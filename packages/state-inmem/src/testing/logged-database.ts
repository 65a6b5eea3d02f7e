import { type Kind, type Pointer, pointerKey, type Resource, sameKind } from '@cosi-ts/resource';
import type { BackingStore, Commit, Epoch, EventLog, LoggedEvent, LogPage, StoreChange } from '../backing-store.js';

interface Pending {
  readonly change: StoreChange;
  readonly commit: Commit;
  readonly settle: (error?: unknown) => void;
}

/** How many log entries one read looks at. */
const pageSize = 3;

/**
 * A database in memory that does what a durable one does: one log for all namespaces, writes committed in batches,
 * epochs, compaction. Opening a database that was made of another's data is a restart, or a copy.
 */
export class LoggedDatabase {
  private readonly resources: Map<string, Resource>;
  private readonly events: LoggedEvent[];
  readonly epochs: readonly Epoch[];
  private floor: number;
  private position: number;
  #batch: Pending[] = [];
  /** Called before each batch and awaited; what it throws, all writes of the batch reject with. */
  beforeBatch: (size: number) => unknown = () => undefined;
  /** Called before each read of the log and awaited; what it throws, the read rejects with. */
  beforeRead: () => unknown = () => undefined;
  /** How often the log was read. */
  reads = 0;

  /** @param seed tells one opening from another */
  constructor(seed: number, data?: LoggedDatabase) {
    this.resources = new Map(data?.resources);
    this.events = [...(data?.events ?? [])];
    this.floor = data?.floor ?? 0;
    this.position = data?.position ?? 0;
    this.epochs = [...(data?.epochs ?? []), { id: new Uint8Array(8).fill(seed), start: this.position }];
  }

  store(namespace: string): BackingStore {
    const log = this.#log(namespace);
    const resources = () => [...this.resources.values()].filter(({ metadata }) => metadata.namespace === namespace);
    return {
      log,
      async *load() {
        yield resources();
      },
      write: (change, commit) => this.#write(change, commit),
    };
  }

  /** Lets go of the events up to a position. */
  compact(floor: number): void {
    this.floor = floor;
    while (this.events[0] !== undefined && this.events[0].position <= floor) this.events.shift();
  }

  #write(change: StoreChange, commit: Commit): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error?: unknown) => (error === undefined ? resolve() : reject(error));
      this.#batch.push({ change, commit, settle });
      if (this.#batch.length === 1) queueMicrotask(() => void this.#flush());
    });
  }

  async #flush(): Promise<void> {
    await Promise.resolve();
    const batch = this.#batch;
    this.#batch = [];
    try {
      await this.beforeBatch(batch.length);
    } catch (error) {
      for (const { settle } of batch) settle(error);
      return;
    }
    for (const { change, commit, settle } of batch) {
      const key = pointerKey(change.resource.metadata);
      if (change.type === 'destroyed') this.resources.delete(key);
      else this.resources.set(key, change.resource);
      this.position++;
      this.events.push({ ...change, position: this.position });
      commit({ position: this.position, encodedBytes: 100 });
      settle();
    }
  }

  #log(namespace: string): EventLog {
    const database = this;
    const about = (subject: Kind | Pointer) => (event: LoggedEvent) => {
      const { metadata } = event.resource;
      return sameKind(metadata, subject) && (!('id' in subject) || subject.id === metadata.id);
    };
    return {
      get position() {
        return database.position;
      },
      get floor() {
        return database.floor;
      },
      epochs: database.epochs,
      async read(subject, after, upTo): Promise<LogPage | undefined> {
        database.reads++;
        await database.beforeRead();
        if (subject.namespace !== namespace || after < database.floor) return undefined;
        const through = Math.min(upTo, after + pageSize);
        const page = database.events.filter(({ position }) => position > after && position <= through);
        return { events: page.filter(about(subject)), through };
      },
      async last(subject, count, upTo) {
        database.reads++;
        await database.beforeRead();
        return database.events.filter((event) => event.position <= upTo && about(subject)(event)).slice(-count);
      },
    };
  }
}
