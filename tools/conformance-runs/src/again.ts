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
    create: (resource, options) => again(() => state.create(resource, options)),
    update: (resource, options) => again(() => state.update(resource, options)),
    destroy: (pointer, options) => again(() => state.destroy(pointer, options)),
    close: () => (state as Partial<{ close(): Promise<void> }>).close?.() ?? Promise.resolve(),
  };
}

async function again<T>(write: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof StoreFailure)) throw error;
    }
  }
}
