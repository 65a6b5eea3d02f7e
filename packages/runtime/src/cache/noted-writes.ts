import { compareUtf8, isNotFound, type Kind, type Pointer, pointerKey, type Resource } from '@cosi-ts/resource';
import {
  type BulkWriteCapable,
  type CallOptions,
  type CoreState,
  type CreateOptions,
  canTeardown,
  canWriteMany,
  type DestroyOptions,
  givenPointer,
  type TeardownCapable,
  type TeardownOptions,
  type UpdateOptions,
  type Write,
} from '@cosi-ts/state';
import { UnsettledWriteError } from '../settling/unsettled-write.js';
import type { KindCache } from './kind-cache.js';
import type { OpenWrite } from './own-write.js';

/**
 * The state, with each write that succeeds told to the cache of its kind before the caller learns of it. Writes to one
 * resource of a cached kind are made one after the other. Reads go through.
 */
export function notedWrites(core: CoreState, cacheOf: (kind: Kind) => KindCache | undefined): CoreState {
  const noting = (
    pointer: Pointer,
    signal: AbortSignal | undefined,
    write: () => Promise<Resource>,
  ): Promise<Resource> => {
    const cache = cacheOf(pointer);
    if (cache === undefined) return write();
    return inTurn(cache, pointer.id, signal, async (open) => {
      const written = await write();
      cache.endWrite(open, written);
      return written;
    });
  };
  const destroy = async (pointer: Pointer, options?: DestroyOptions): Promise<void> => {
    const at = givenPointer(pointer);
    const cache = cacheOf(at);
    if (cache === undefined) return core.destroy(at, options);
    await inTurn(cache, at.id, options?.signal, async (open) => {
      await core.destroy(at, options);
      cache.endDestroy(open);
    });
  };
  const noted: CoreState & Partial<TeardownCapable & BulkWriteCapable> = {
    get: core.get.bind(core),
    list: core.list.bind(core),
    watch: core.watch.bind(core),
    watchKind: core.watchKind.bind(core),
    watchKindAggregated: core.watchKindAggregated.bind(core),
    create: (resource: Resource, options?: CreateOptions) =>
      noting(resource.metadata, options?.signal, () => core.create(resource, options)),
    update: (resource: Resource, options?: UpdateOptions) =>
      noting(resource.metadata, options?.signal, () => core.update(resource, options)),
    destroy,
  };
  if (canTeardown(core)) noted.teardown = notedTeardown(core, cacheOf);
  if (canWriteMany(core)) noted.writeMany = notedMany(core, cacheOf);
  return noted;
}

/** Makes a write when it is its turn. What it has not told the cache of by its end, the stream will tell. */
async function inTurn<T>(
  cache: KindCache,
  id: string,
  signal: AbortSignal | undefined,
  write: (open: OpenWrite) => Promise<T>,
): Promise<T> {
  const turn = cache.writeOrder.enter(id, signal);
  if (turn !== undefined) await turn;
  const open = cache.beginWrite(id);
  try {
    return await write(open);
  } catch (error) {
    // It may have been made: what is done because of this error is not to see less than was found.
    if (error instanceof UnsettledWriteError) noteFound(cache, open, error.found);
    throw error;
  } finally {
    cache.dropWrite(open);
    cache.writeOrder.leave(id);
  }
}

/** The answer says not what it has left: that is read. */
function notedTeardown(core: CoreState & TeardownCapable, cacheOf: (kind: Kind) => KindCache | undefined) {
  return async (pointer: Pointer, options: TeardownOptions = {}): Promise<boolean> => {
    const at = givenPointer(pointer);
    const cache = cacheOf(at);
    if (cache === undefined) return core.teardown(at, options);
    const { signal, context } = options;
    return inTurn(cache, at.id, signal, async (open) => {
      const ready = await core.teardown(at, options);
      try {
        noteFound(cache, open, await core.get(at, { signal, context }));
      } catch (error) {
        if (!isNotFound(error)) throw error;
        noteFound(cache, open, undefined);
      }
      return ready;
    });
  };
}

/** What was read after a write. */
function noteFound(cache: KindCache, open: OpenWrite, found: Resource | undefined): void {
  if (found !== undefined) cache.endWrite(open, found);
  // Destroyed by someone: what is not in the cache yet comes and goes with the stream.
  else if (open.before !== undefined) cache.endDestroy(open);
}

function notedMany(core: CoreState & BulkWriteCapable, cacheOf: (kind: Kind) => KindCache | undefined) {
  return async (writes: readonly Write[], options?: CallOptions) => {
    const targets = writes.map((write): CachedTarget | undefined => {
      const pointer = write.type === 'destroy' ? write.pointer : write.resource.metadata;
      const cache = cacheOf(pointer);
      return cache === undefined ? undefined : { cache, id: pointer.id, key: pointerKey(pointer) };
    });
    const leave = await enterAll(targets, options?.signal);
    const open = targets.map((target) => target?.cache.beginWrite(target.id));
    try {
      const outcomes = await core.writeMany(writes, options);
      for (const [i, outcome] of outcomes.entries()) {
        const [cache, write] = [targets[i]?.cache, open[i]];
        if (cache === undefined || write === undefined || outcome.status === 'rejected') continue;
        if (outcome.value === undefined) cache.endDestroy(write);
        else cache.endWrite(write, outcome.value);
      }
      return outcomes;
    } finally {
      for (const [i, write] of open.entries()) if (write !== undefined) targets[i]?.cache.dropWrite(write);
      leave();
    }
  };
}

interface CachedTarget {
  readonly cache: KindCache;
  readonly id: string;
  readonly key: string;
}

/** Takes the turn of each resource once, all in one order, so that nobody waits for somebody who waits for him. */
async function enterAll(
  targets: readonly (CachedTarget | undefined)[],
  signal: AbortSignal | undefined,
): Promise<() => void> {
  const byKey = new Map(targets.flatMap((target) => (target === undefined ? [] : [[target.key, target] as const])));
  const taken: CachedTarget[] = [];
  const leave = () => {
    for (const { cache, id } of taken) cache.writeOrder.leave(id);
  };
  try {
    for (const [, target] of [...byKey].sort(([a], [b]) => compareUtf8(a, b))) {
      await target.cache.writeOrder.enter(target.id, signal);
      taken.push(target);
    }
  } catch (error) {
    leave();
    throw error;
  }
  return leave;
}
