import type { Resource } from '@cosi-ts/resource';
import type { BackingStore, Commit, EventLog, StoreChange, StoredPage } from '../backing-store.js';

/**
 * A store that does what a test tells it: it fails, or waits, before it passes on to another. What fails here has no
 * effect there.
 */
export class FaultyStore implements BackingStore {
  readonly #inner: BackingStore;
  /** Called before each load; what it throws, the load throws. */
  beforeLoad: () => unknown = () => undefined;
  /** Called before each write and awaited; what it throws, the write rejects with. */
  beforeWrite: (change: StoreChange) => unknown = () => undefined;

  constructor(inner: BackingStore) {
    this.#inner = inner;
  }

  get log(): EventLog | undefined {
    return this.#inner.log;
  }

  async *load(): AsyncIterable<readonly Resource[] | StoredPage> {
    await this.beforeLoad();
    yield* this.#inner.load();
  }

  async write(change: StoreChange, commit: Commit): Promise<void> {
    await this.beforeWrite(change);
    await this.#inner.write(change, commit);
  }
}
