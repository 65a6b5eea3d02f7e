import type { Kind, Pointer, Resource, TypedKind, TypedPointer, TypedResource } from '@cosi-ts/resource';
import type { CallOptions, DestroyOptions, OwnedState, TeardownOptions } from '@cosi-ts/state';
import type { CachedGetOptions, CachedListOptions } from './cache/read-options.js';

/**
 * The state as one controller may use it. It reads its inputs and outputs, writes the types of its outputs, and changes
 * finalizers on its primary and mapped inputs; anything else is rejected with `runtime/undeclared`, before the state is
 * asked. What it creates belongs to it, and it changes and destroys its own, unless `owner` says otherwise (`''` is
 * nobody). Where something is to be gone, that it is absent is success.
 *
 * Where the runtime caches a kind, `get`, `find` and `list` of it are answered from memory, never older than the change
 * that the work is for, nor than the controller's own writes; `uncached` asks the state. All else asks the state anyhow.
 *
 * Where the answer to a write is lost, the resource is read again and the write settled by what is found: it has its effect
 * once. Where that does not tell, `modify`, `updateWithConflicts`, `teardown` and changes of the controller's own finalizers
 * begin again from the read, on what belongs to the controller; the function may then see what it has written itself. Other
 * writes reject with `unavailable`, of which `isOutcomeUnknown` is true.
 *
 * Calls end with the signal of the work that the state was given for, and begin no more after it aborted.
 */
export interface ControllerState
  extends Pick<OwnedState, 'watchFor' | 'create' | 'update' | 'updateWithConflicts' | 'modify'> {
  /** The name of the controller. */
  readonly owner: string;

  /** Rejects with `not-found`. */
  get<S>(pointer: TypedPointer<S>, options?: CachedGetOptions): Promise<TypedResource<S>>;
  get(pointer: Pointer, options?: CachedGetOptions): Promise<Resource>;
  /** In the order of ids. */
  list<S>(kind: TypedKind<S>, options?: CachedListOptions): Promise<readonly TypedResource<S>[]>;
  list(kind: Kind, options?: CachedListOptions): Promise<readonly Resource[]>;

  /** The resource, or undefined when it is absent. */
  find<S>(pointer: TypedPointer<S>, options?: CachedGetOptions): Promise<TypedResource<S> | undefined>;
  find(pointer: Pointer, options?: CachedGetOptions): Promise<Resource | undefined>;

  /** Marks as tearing down. True when nothing holds the resource any more, or when it is absent. */
  teardown(pointer: Pointer, options?: TeardownOptions): Promise<boolean>;
  /** Removes the resource; it must have no finalizers. An absent one is success. */
  destroy(pointer: Pointer, options?: DestroyOptions): Promise<void>;
  /**
   * Tears down, and destroys when nothing holds the resource; does not wait. False when finalizers are left: a
   * destroy-ready input tells when they are gone.
   */
  destroyIfReady(pointer: Pointer, options?: TeardownOptions): Promise<boolean>;

  /** Rejects with `not-found`. */
  addFinalizer(pointer: Pointer, names?: string | readonly string[], options?: CallOptions): Promise<void>;
  /** An absent resource is success. */
  removeFinalizer(pointer: Pointer, names?: string | readonly string[], options?: CallOptions): Promise<void>;
}
