import { type CoreState, canTeardown, type TeardownCapable } from '@cosi-ts/state';
import type { WriteLimit } from './write-limit.js';

/** What is counted of the way to the state. */
export interface AccessCounts {
  reads: number;
  writes: number;
}

/**
 * The one way of a controller to the state: whatever it calls comes down to these operations, composed ones step by step.
 * Each is counted, and writes wait for the limit.
 */
export function controllerCore(core: CoreState, counts: AccessCounts, limit: WriteLimit | undefined): CoreState {
  const reading = <A extends unknown[], T>(call: (...args: A) => T) => {
    return (...args: A): T => {
      counts.reads++;
      return call(...args);
    };
  };
  const writing = <S, O extends { readonly signal?: AbortSignal | undefined }, T>(
    call: (subject: S, options?: O) => Promise<T>,
  ) => {
    return async (subject: S, options?: O): Promise<T> => {
      if (limit !== undefined) await limit.pass(options?.signal);
      counts.writes++;
      return call(subject, options);
    };
  };
  const through: CoreState & Partial<TeardownCapable> = {
    get: reading(core.get.bind(core)),
    list: reading(core.list.bind(core)),
    watch: reading(core.watch.bind(core)),
    watchKind: reading(core.watchKind.bind(core)),
    watchKindAggregated: reading(core.watchKindAggregated.bind(core)),
    create: writing(core.create.bind(core)),
    update: writing(core.update.bind(core)),
    destroy: writing(core.destroy.bind(core)),
  };
  if (canTeardown(core)) through.teardown = writing(core.teardown.bind(core));
  return through;
}
