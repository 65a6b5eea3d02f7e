import { pointerKey, type Resource } from '@cosi-ts/resource';
import type { BackingStore, Commit, StoreChange } from '@cosi-ts/state-inmem';

/** What a store rejects with when it was told to fail. */
export class StoreFailure extends Error {}

/** A backing store in memory that fails when it is told to. It outlives the states that use it. */
export class FallibleStore implements BackingStore {
  readonly #records = new Map<string, Resource>();
  /** Told the number of a write, from 1: whether that one fails. */
  failsWrite: (write: number) => boolean = () => false;
  /** Told the number of a load, from 1: whether that one fails, after some of the resources. */
  failsLoad: (load: number) => boolean = () => false;
  writes = 0;
  loads = 0;

  /** What is stored, in no order. */
  get resources(): readonly Resource[] {
    return [...this.#records.values()];
  }

  /** Puts a resource there as an earlier process would have. */
  put(resource: Resource): void {
    this.#records.set(pointerKey(resource.metadata), resource);
  }

  async *load(): AsyncIterable<readonly Resource[]> {
    const fails = this.failsLoad(++this.loads);
    await undefined;
    yield this.resources.slice(0, 1);
    if (fails) throw new StoreFailure(`load ${this.loads} fails`);
    yield this.resources.slice(1);
  }

  async write(change: StoreChange, commit: Commit): Promise<void> {
    const write = ++this.writes;
    const fails = this.failsWrite(write);
    await undefined;
    if (fails) throw new StoreFailure(`write ${write} fails`);
    const key = pointerKey(change.resource.metadata);
    if (change.type === 'destroyed') this.#records.delete(key);
    else this.#records.set(key, change.resource);
    commit();
  }
}
