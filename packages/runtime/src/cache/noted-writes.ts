import { isNotFound, type Kind, type Pointer, type Resource } from '@cosi-ts/resource';
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
import type { KindCache } from './kind-cache.js';
import type { OpenWrite } from './own-write.js';

/** The state, with each write that succeeds told to the cache of its kind before the caller learns of it. Reads go through. */
export function notedWrites(core: CoreState, cacheOf: (kind: Kind) => KindCache | undefined): CoreState {
  const noting = async (pointer: Pointer, write: () => Promise<Resource>): Promise<Resource> => {
    const cache = cacheOf(pointer);
    if (cache === undefined) return write();
    const open = cache.beginWrite(pointer.id);
    try {
      const written = await write();
      cache.endWrite(open, written);
      return written;
    } catch (error) {
      cache.dropWrite(open);
      throw error;
    }
  };
  const destroy = async (pointer: Pointer, options?: DestroyOptions): Promise<void> => {
    const at = givenPointer(pointer);
    const cache = cacheOf(at);
    if (cache === undefined) return core.destroy(at, options);
    const open = cache.beginWrite(at.id);
    try {
      await core.destroy(at, options);
      cache.endDestroy(open);
    } catch (error) {
      cache.dropWrite(open);
      throw error;
    }
  };
  const noted: CoreState & Partial<TeardownCapable & BulkWriteCapable> = {
    get: core.get.bind(core),
    list: core.list.bind(core),
    watch: core.watch.bind(core),
    watchKind: core.watchKind.bind(core),
    watchKindAggregated: core.watchKindAggregated.bind(core),
    create: (resource: Resource, options?: CreateOptions) =>
      noting(resource.metadata, () => core.create(resource, options)),
    update: (resource: Resource, options?: UpdateOptions) =>
      noting(resource.metadata, () => core.update(resource, options)),
    destroy,
  };
  if (canTeardown(core)) noted.teardown = notedTeardown(core, cacheOf);
  if (canWriteMany(core)) noted.writeMany = notedMany(core, cacheOf);
  return noted;
}

/** The answer says not what it has left: that is read. */
function notedTeardown(core: CoreState & TeardownCapable, cacheOf: (kind: Kind) => KindCache | undefined) {
  return async (pointer: Pointer, options: TeardownOptions = {}): Promise<boolean> => {
    const at = givenPointer(pointer);
    const cache = cacheOf(at);
    if (cache === undefined) return core.teardown(at, options);
    const open = cache.beginWrite(at.id);
    try {
      const ready = await core.teardown(at, options);
      try {
        const { signal, context } = options;
        cache.endWrite(open, await core.get(at, { signal, context }));
      } catch (error) {
        if (!isNotFound(error)) throw error;
        // Destroyed by someone: what is not in the cache yet comes and goes with the stream.
        if (open.before !== undefined) cache.endDestroy(open);
      }
      return ready;
    } finally {
      cache.dropWrite(open);
    }
  };
}

function notedMany(core: CoreState & BulkWriteCapable, cacheOf: (kind: Kind) => KindCache | undefined) {
  return async (writes: readonly Write[], options?: CallOptions) => {
    const open = writes.map((write): [KindCache, OpenWrite] | undefined => {
      const pointer = write.type === 'destroy' ? write.pointer : write.resource.metadata;
      const cache = cacheOf(pointer);
      return cache === undefined ? undefined : [cache, cache.beginWrite(pointer.id)];
    });
    try {
      const outcomes = await core.writeMany(writes, options);
      for (const [i, outcome] of outcomes.entries()) {
        const [cache, write] = open[i] ?? [];
        if (cache === undefined || write === undefined || outcome.status === 'rejected') continue;
        if (outcome.value === undefined) cache.endDestroy(write);
        else cache.endWrite(write, outcome.value);
      }
      return outcomes;
    } finally {
      for (const [cache, write] of open.filter((each) => each !== undefined)) cache.dropWrite(write);
    }
  };
}
