import type { Kind, Pointer } from '@cosi-ts/resource';
import {
  type CoreState,
  createWatch,
  filter,
  type Watch,
  type WatchKindOptions,
  type WatchOptions,
} from '@cosi-ts/state';

export interface CountedWatches {
  readonly core: CoreState;
  /** How many watches that were made through `core` have not ended. */
  readonly open: number;
}

/** The state, with the watches that are made through it counted. */
export function countedWatches(state: CoreState): CountedWatches {
  let open = 0;
  const counted = <T>(watch: Watch<T>, signal: AbortSignal | undefined): Watch<T> => {
    open++;
    return createWatch<T>(
      {
        async pull() {
          const result = await watch.next();
          return result.done === true ? undefined : result.value;
        },
        close() {
          open--;
          return watch.close();
        },
      },
      signal,
    );
  };
  const passing = filter(state, () => undefined);
  const core = Object.assign(
    filter(state, () => undefined),
    {
      watch: async (pointer: Pointer, options?: WatchOptions) =>
        counted(await passing.watch(pointer, options), options?.signal),
      watchKind: async (kind: Kind, options?: WatchKindOptions) =>
        counted(await passing.watchKind(kind, options), options?.signal),
      watchKindAggregated: async (kind: Kind, options?: WatchKindOptions) =>
        counted(await passing.watchKindAggregated(kind, options), options?.signal),
    },
  );
  return {
    core,
    get open() {
      return open;
    },
  };
}
