import type { CoreState } from '@cosi-ts/state';
import { StoreFailure } from './fallible-store.js';

/** The state, each of whose writes is made again while the store fails: from outside it is as if nothing had failed. */
export function againOnFailure(state: CoreState): CoreState & { close(): Promise<void> } {
  return {
    get: state.get.bind(state),
    list: state.list.bind(state),
    watch: state.watch.bind(state),
    watchKind: state.watchKind.bind(state),
    watchKindAggregated: state.watchKindAggregated.bind(state),
    create: (resource, options) => again({ ...options }, (same) => state.create(resource, same)),
    update: (resource, options) => again({ ...options }, (same) => state.update(resource, same)),
    destroy: ({ namespace, type, id }, options) =>
      again({ ...options }, (same) => state.destroy({ namespace, type, id }, same)),
    close: () => (state as Partial<{ close(): Promise<void> }>).close?.() ?? Promise.resolve(),
  };
}

/** @param options what was given when the call was made: the caller may change it meanwhile */
async function again<O, T>(options: O, write: (options: O) => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await write(options);
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error;
    }
  }
}
