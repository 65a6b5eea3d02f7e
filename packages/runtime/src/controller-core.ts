import type { Pointer, Resource } from '@cosi-ts/resource';
import {
  type CoreState,
  type CreateOptions,
  canTeardown,
  type DestroyOptions,
  type TeardownCapable,
  type TeardownOptions,
  type UpdateOptions,
} from '@cosi-ts/state';
import type { Term } from './election/term.js';

/** What is counted of the way to the state. */
export interface AccessCounts {
  reads: number;
  writes: number;
}

/**
 * The one way of a controller to the state: whatever it calls comes down to these operations, composed ones step by step.
 * Each is told of and counted. Where there is a term, no write is begun once its lease has run out.
 */
export function controllerCore(
  core: CoreState,
  counts: AccessCounts,
  term: Term | undefined,
  onCall: () => unknown,
): CoreState {
  const reading = <A extends unknown[], T>(call: (...args: A) => T) => {
    return (...args: A): T => {
      onCall();
      counts.reads++;
      return call(...args);
    };
  };
  const writing = <C extends CoreState, S, O extends { readonly signal?: AbortSignal | undefined }, T>(
    call: (to: C, subject: S, options?: O) => Promise<T>,
    to: C,
  ) => {
    return async (subject: S, options?: O): Promise<T> => {
      onCall();
      counts.writes++;
      return call(term === undefined ? to : (term.forWrite(to) as C), subject, options);
    };
  };
  const through: CoreState & Partial<TeardownCapable> = {
    get: reading(core.get.bind(core)),
    list: reading(core.list.bind(core)),
    watch: reading(core.watch.bind(core)),
    watchKind: reading(core.watchKind.bind(core)),
    watchKindAggregated: reading(core.watchKindAggregated.bind(core)),
    create: writing((to, resource: Resource, options?: CreateOptions) => to.create(resource, options), core),
    update: writing((to, resource: Resource, options?: UpdateOptions) => to.update(resource, options), core),
    destroy: writing((to, pointer: Pointer, options?: DestroyOptions) => to.destroy(pointer, options), core),
  };
  if (canTeardown(core)) {
    through.teardown = writing(
      (to, pointer: Pointer, options?: TeardownOptions) => to.teardown(pointer, options),
      core,
    );
  }
  return through;
}
