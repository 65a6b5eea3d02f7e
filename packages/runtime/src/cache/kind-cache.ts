import { ClosedError, followAbort, type Kind, pointerText, type Resource } from '@cosi-ts/resource';
import { Backoff, type ListOptions, sleep } from '@cosi-ts/state';
import type { ResolvedRuntimeOptions } from '../runtime-options.js';
import { errorOf } from '../thrown.js';
import { CachedResources } from './cached-resources.js';
import { isAsNew, OpenWrite, type Sighting, WrittenState } from './own-write.js';
import { WriteOrder } from './write-order.js';

/** Reads a resource of the kind from the state; undefined when it is absent. */
export type ReadThrough = (id: string, signal: AbortSignal) => Promise<Resource | undefined>;

/**
 * The resources of one kind as its watch tells them, with the writes that are made through this process in them as soon
 * as they are answered.
 */
export class KindCache {
  readonly kind: Kind;
  /** Of the own writes to each id: {@link beginWrite} is to be called in its turn. */
  readonly writeOrder = new WriteOrder();
  readonly #resources = new CachedResources();
  readonly #read: ReadThrough;
  readonly #options: ResolvedRuntimeOptions;
  readonly #stop = new AbortController();
  readonly #checks = new Set<Promise<void>>();
  /** Answered writes that the stream has not brought yet. */
  readonly #written = new Map<string, WrittenState>();
  readonly #open = new Map<string, Set<OpenWrite>>();
  /** How many lists were begun. */
  #lists = 0;
  /** Ids that a list has brought, and that changed since it was made; undefined when none is gone through. */
  #listed: Set<string> | undefined;
  #changed = new Set<string>();
  #isReady = false;
  #waiters: (() => void)[] = [];

  constructor(kind: Kind, read: ReadThrough, options: ResolvedRuntimeOptions) {
    this.kind = Object.freeze({ namespace: kind.namespace, type: kind.type });
    this.#read = read;
    this.#options = options;
  }

  get size(): number {
    return this.#resources.size;
  }

  /** True once everything has been listed. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Nothing comes in any more. */
  get isClosed(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Own writes that the stream has not brought yet. */
  get unconfirmed(): number {
    return this.#written.size;
  }

  /** Waits for the first list. Rejects with the signal's reason, and with `closed`. */
  async get(id: string, signal?: AbortSignal): Promise<Resource | undefined> {
    await this.#ready(signal);
    return this.#resources.get(id);
  }

  /** Waits as {@link get} does. In the order of ids. */
  async list(options: ListOptions = {}): Promise<readonly Resource[]> {
    await this.#ready(options.signal);
    return this.#resources.list(options);
  }

  /** To be called before the state is asked for a list: what was written before is in it. */
  beginList(): void {
    this.#lists++;
    this.#listed = new Set();
    this.#changed = new Set();
    this.#written.clear();
  }

  /** What a list has. */
  listed(resource: Resource): void {
    const { id } = resource.metadata;
    if (this.#changed.has(id)) return;
    this.#listed?.add(id);
    this.#note({ resource, gone: false });
    const written = this.#written.get(id);
    if (written !== undefined && !written.isListedBy(resource)) {
      // Then the list is older than the write, which the stream will bring.
      if (written.created !== undefined) written.isDoubtful = false;
      return;
    }
    this.#written.delete(id);
    this.#resources.set(resource);
  }

  /** That was all: what it has not is gone. */
  endList(): void {
    const listed = this.#listed;
    if (listed === undefined) return;
    this.#listed = undefined;
    for (const id of [...this.#resources.ids()]) {
      if (!listed.has(id) && !this.#changed.has(id) && !this.#written.has(id)) this.#resources.delete(id);
    }
    this.#changed = new Set();
    for (const [id, written] of this.#written) if (written.isDoubtful) this.#check(id, written);
    this.#isReady = true;
    this.#endWaiting();
  }

  /** What the stream brings. */
  changed(resource: Resource, gone: boolean): void {
    const { id } = resource.metadata;
    if (this.#listed !== undefined) this.#changed.add(id);
    const sighting = { resource, gone };
    this.#note(sighting);
    const written = this.#written.get(id);
    if (written !== undefined && !written.isReachedBy(sighting)) return;
    this.#written.delete(id);
    if (gone) this.#resources.delete(id);
    else this.#resources.set(resource);
  }

  /** To be called when a write begins; it is to be ended by one of the next three. */
  beginWrite(id: string): OpenWrite {
    const write = new OpenWrite(id, this.#lists, this.#listed !== undefined, this.#resources.get(id));
    const others = this.#open.get(id);
    if (others === undefined) this.#open.set(id, new Set([write]));
    else others.add(write);
    return write;
  }

  /** The write has been refused, or what became of it is not known: the stream will tell. */
  dropWrite(write: OpenWrite): void {
    const others = this.#open.get(write.id);
    others?.delete(write);
    if (others?.size === 0) this.#open.delete(write.id);
  }

  /** The write has left the resource so, or it was read so after the write. */
  endWrite(write: OpenWrite, resource: Resource): void {
    this.dropWrite(write);
    if (this.isClosed) return;
    const { id, created } = resource.metadata;
    const left = WrittenState.as(resource, this.#isDoubtful(write));
    const present = this.#resources.get(id);
    const before = this.#written.get(id);
    if (write.hasSeen(left) || (present !== undefined && isAsNew(present.metadata, resource.metadata))) return;
    // An update that is answered later than the destruction that came after it.
    if (before?.gone === true && (before.created?.equals(created) ?? resource.metadata.version !== 1n)) return;
    this.#resources.set(resource);
    this.#keep(id, left);
  }

  /** The write has removed the resource. */
  endDestroy(write: OpenWrite): void {
    this.dropWrite(write);
    if (this.isClosed) return;
    const { id, ended } = write;
    let left = WrittenState.gone(ended, this.#isDoubtful(write));
    const present = this.#resources.get(id)?.metadata.created;
    if (write.hasSeen(left)) {
      if (present === undefined) return;
      // Made anew meanwhile: after this destruction, or before it and it is that one which is gone.
      left = WrittenState.gone(present, true);
    } else if (present !== undefined && (ended === undefined || !present.equals(ended))) {
      // Made anew since, by a write that was answered sooner.
      return;
    }
    this.#resources.delete(id);
    this.#keep(id, left);
  }

  /** Ends waiting reads, and waits until nothing of it is left. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#endWaiting();
    await Promise.all(this.#checks);
  }

  #note(sighting: Sighting): void {
    for (const write of this.#open.get(sighting.resource.metadata.id) ?? []) write.seen.push(sighting);
  }

  #isDoubtful({ list, isListing }: OpenWrite): boolean {
    return list !== this.#lists || isListing;
  }

  #keep(id: string, written: WrittenState): void {
    this.#written.set(id, written);
    if (written.isDoubtful && this.#listed === undefined) this.#check(id, written);
  }

  /**
   * Asks the state whether a write came before the list that was made meanwhile: then no event will tell what has become
   * of the resource.
   */
  #check(id: string, written: WrittenState): void {
    const check: Promise<void> = this.#resolve(id, written).finally(() => this.#checks.delete(check));
    this.#checks.add(check);
  }

  async #resolve(id: string, written: WrittenState): Promise<void> {
    const { clock, random, watchBackoff, logger } = this.#options;
    const { signal } = this.#stop;
    const backoff = new Backoff(random, watchBackoff);
    while (!signal.aborted && this.#written.get(id) === written) {
      try {
        const found = await this.#read(id, signal);
        if (!signal.aborted && this.#written.get(id) === written) this.#settle(id, written, found);
        return;
      } catch (error) {
        if (signal.aborted) return;
        const retryInMs = backoff.nextMs();
        const resource = pointerText({ ...this.kind, id });
        logger.warn({ err: errorOf(error), resource, retryInMs }, 'cannot tell what has become of a written resource');
        await sleep(clock, retryInMs, signal).catch((reason: unknown) => {
          if (!signal.aborted) throw reason;
        });
      }
    }
  }

  #settle(id: string, written: WrittenState, found: Resource | undefined): void {
    written.isDoubtful = false;
    // The same life goes on: the list had it older or not at all, and so the stream will bring the write.
    if (found !== undefined && !written.gone && written.created?.equals(found.metadata.created) === true) return;
    this.#written.delete(id);
    if (found === undefined) this.#resources.delete(id);
    else this.#resources.set(found);
  }

  #ready(signal: AbortSignal | undefined): Promise<void> | undefined {
    signal?.throwIfAborted();
    if (this.isClosed) throw new ClosedError(`the cache of ${pointerText(this.kind)} has ended`);
    if (this.#isReady) return undefined;
    return new Promise((resolve, reject) => {
      const onReady = () => {
        unfollow?.();
        if (this.isClosed) reject(new ClosedError(`the cache of ${pointerText(this.kind)} has ended`));
        else resolve();
      };
      this.#waiters.push(onReady);
      const unfollow =
        signal &&
        followAbort(signal, (reason) => {
          this.#waiters.splice(this.#waiters.indexOf(onReady), 1);
          reject(reason);
        });
    });
  }

  #endWaiting(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const ready of waiters) ready();
  }
}
