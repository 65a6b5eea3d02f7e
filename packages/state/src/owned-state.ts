import type { Draft, Pointer, Resource } from '@cosi-ts/resource';
import type { TeardownOptions } from './capabilities.js';
import type { Change } from './changes.js';
import type { CallOptions, CreateOptions, DestroyOptions, UpdateOptions } from './core-state.js';
import type { State } from './state.js';

/**
 * A state as seen by one owner, whose name is filled in where none is given: what it creates belongs to it, and it
 * changes, tears down and destroys its own. `owner: ''` in a call means nobody; teardown and destroy also take another
 * owner's name. Finalizers can be changed on everyone's resources.
 */
export interface OwnedState
  extends Pick<
    State,
    | 'get'
    | 'list'
    | 'watch'
    | 'watchKind'
    | 'watchKindAggregated'
    | 'watchFor'
    | 'create'
    | 'update'
    | 'updateWithConflicts'
    | 'modify'
    | 'teardown'
    | 'destroy'
    | 'addFinalizer'
    | 'removeFinalizer'
  > {
  readonly owner: string;
}

/** The state for one owner. Throws a `TypeError` for an empty name. */
export function ownedState(state: State, owner: string): OwnedState {
  if (owner === '') throw new TypeError('an owner needs a name');
  const own = <O extends { readonly owner?: string | undefined }>(options: O | undefined) => ({
    ...options,
    owner: options?.owner ?? owner,
  });
  const view = {
    owner,
    get: state.get.bind(state),
    list: state.list.bind(state),
    watch: state.watch.bind(state),
    watchKind: state.watchKind.bind(state),
    watchKindAggregated: state.watchKindAggregated.bind(state),
    watchFor: state.watchFor.bind(state),
    addFinalizer: (pointer: Pointer, names: string | readonly string[], options?: CallOptions) =>
      state.addFinalizer(pointer, names, options),
    removeFinalizer: (pointer: Pointer, names: string | readonly string[], options?: CallOptions) =>
      state.removeFinalizer(pointer, names, options),
    create: (resource: Resource, options?: CreateOptions) => state.create(resource, own(options)),
    update: (resource: Resource, options?: UpdateOptions) => state.update(resource, own(options)),
    updateWithConflicts: (pointer: Pointer, change: Change<Draft>, options?: UpdateOptions) =>
      state.updateWithConflicts(pointer, change, own(options)),
    modify: (target: Resource, change: Change<Draft>, options?: UpdateOptions) =>
      state.modify(target, change, own(options)),
    teardown: (pointer: Pointer, options?: TeardownOptions) => state.teardown(pointer, own(options)),
    destroy: (pointer: Pointer, options?: DestroyOptions) => state.destroy(pointer, own(options)),
  };
  // The overloads tie results to the declaration that comes with the argument, which is passed on as it is.
  return Object.freeze(view) as unknown as OwnedState;
}
