import type { Kind, Pointer, Resource, TypedKind, TypedPointer, TypedResource } from '@cosi-ts/resource';
import { type CoreState, givenOptions, type State, wrapState } from '@cosi-ts/state';
import type { CacheReport } from '../report.js';
import { type RuntimeOptions, resolveRuntimeOptions } from '../runtime-options.js';
import { WatchHub } from '../watch-hub.js';
import { notedWrites } from './noted-writes.js';
import { cachedGet, cachedList, ReadCache } from './read-cache.js';
import type { CachedGetOptions, CachedListOptions } from './read-options.js';

export type CachedStateOptions = Pick<RuntimeOptions, 'logger' | 'clock' | 'random' | 'watchBackoff'>;

/** See {@link cachedState}. */
export interface CachedState extends Omit<State, 'get' | 'list'>, AsyncDisposable {
  get<S>(pointer: TypedPointer<S>, options?: CachedGetOptions): Promise<TypedResource<S>>;
  get(pointer: Pointer, options?: CachedGetOptions): Promise<Resource>;
  list<S>(kind: TypedKind<S>, options?: CachedListOptions): Promise<readonly TypedResource<S>[]>;
  list(kind: Kind, options?: CachedListOptions): Promise<readonly Resource[]>;
  /** How each cache is doing now. */
  report(): readonly CacheReport[];
  /** Ends the watches. Reads go to the state from then on, which stays open. Can be called any number of times. */
  close(): Promise<void>;
}

/**
 * A view of a state whose gets and lists of some kinds are answered from memory, after the first list has come. All else
 * goes through; what is written through this view is in its reads at once. One watch for each kind keeps it up to date,
 * and lists and compares where it was broken for too long.
 *
 * @example
 * await using cached = cachedState(state, [VMConfig.kind]);
 * const vms = await cached.list(VMConfig.kind, { labels: [label('tier').is('web')] });
 */
export function cachedState(state: CoreState, kinds: readonly Kind[], options: CachedStateOptions = {}): CachedState {
  const resolved = resolveRuntimeOptions(options);
  const { core } = wrapState(state);
  const cache = new ReadCache(kinds, core, resolved);
  const hub = new WatchHub(core, resolved, cache);
  const inner = wrapState(notedWrites(core, cache.of));
  cache.follow(hub);
  const close = () => hub.close();
  const view = {
    core: inner.core,
    get: async (pointer: Pointer, given: CachedGetOptions = {}) => {
      const { uncached, ...rest } = given;
      const of = uncached === true ? undefined : cache.of(pointer);
      return of === undefined ? inner.get(pointer, rest) : cachedGet(of, pointer, rest);
    },
    list: async (kind: Kind, given: CachedListOptions = {}) => {
      const { uncached, ...rest } = givenOptions(given);
      const of = uncached === true ? undefined : cache.of(kind);
      return of === undefined ? inner.list(kind, rest) : cachedList(of, kind, rest);
    },
    create: inner.create.bind(inner),
    update: inner.update.bind(inner),
    destroy: inner.destroy.bind(inner),
    watch: inner.watch.bind(inner),
    watchKind: inner.watchKind.bind(inner),
    watchKindAggregated: inner.watchKindAggregated.bind(inner),
    updateWithConflicts: inner.updateWithConflicts.bind(inner),
    modify: inner.modify.bind(inner),
    teardown: inner.teardown.bind(inner),
    teardownAndDestroy: inner.teardownAndDestroy.bind(inner),
    writeMany: inner.writeMany.bind(inner),
    addFinalizer: inner.addFinalizer.bind(inner),
    removeFinalizer: inner.removeFinalizer.bind(inner),
    watchFor: inner.watchFor.bind(inner),
    signalWithTeardown: inner.signalWithTeardown.bind(inner),
    report: () => cache.report(hub),
    close,
    [Symbol.asyncDispose]: close,
  };
  // The overloads tie results to the declaration that comes with the argument, which is passed on as it is.
  return Object.freeze(view) as unknown as CachedState;
}
