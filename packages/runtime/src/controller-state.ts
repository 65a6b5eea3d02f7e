import type {
  Draft,
  Kind,
  Pointer,
  Resource,
  TypedDraft,
  TypedKind,
  TypedPointer,
  TypedResource,
} from '@cosi-ts/resource';
import type {
  CallOptions,
  Change,
  CreateOptions,
  DestroyOptions,
  GetOptions,
  ListOptions,
  TeardownOptions,
  UpdateOptions,
  WatchCondition,
} from '@cosi-ts/state';

/**
 * The state as one controller may use it. It reads its inputs and outputs, writes the types of its outputs, and changes
 * finalizers on its primary and mapped inputs; anything else is rejected with `runtime/undeclared`, before the state is
 * asked. What it creates belongs to it, and it changes and destroys its own, unless `owner` says otherwise (`''` is
 * nobody). Where something is to be gone, that it is absent is success.
 *
 * Calls end with the signal of the work that the state was given for, and begin no more after it aborted.
 */
export interface ControllerState {
  /** The name of the controller. */
  readonly owner: string;

  /** Rejects with `not-found`. */
  get<S>(pointer: TypedPointer<S>, options?: GetOptions): Promise<TypedResource<S>>;
  get(pointer: Pointer, options?: GetOptions): Promise<Resource>;
  /** The resource, or undefined when it is absent. */
  find<S>(pointer: TypedPointer<S>, options?: GetOptions): Promise<TypedResource<S> | undefined>;
  find(pointer: Pointer, options?: GetOptions): Promise<Resource | undefined>;
  /** In the byte order of UTF-8 ids. */
  list<S>(kind: TypedKind<S>, options?: ListOptions): Promise<readonly TypedResource<S>[]>;
  list(kind: Kind, options?: ListOptions): Promise<readonly Resource[]>;
  /** See `State.watchFor`. */
  watchFor<S>(
    pointer: TypedPointer<S>,
    condition: WatchCondition<TypedResource<S>>,
    options?: CallOptions,
  ): Promise<TypedResource<S>>;
  watchFor(pointer: Pointer, condition: WatchCondition, options?: CallOptions): Promise<Resource>;

  create<S>(resource: TypedResource<S>, options?: CreateOptions): Promise<TypedResource<S>>;
  create(resource: Resource, options?: CreateOptions): Promise<Resource>;
  update<S>(resource: TypedResource<S>, options?: UpdateOptions): Promise<TypedResource<S>>;
  update(resource: Resource, options?: UpdateOptions): Promise<Resource>;
  /** See `State.updateWithConflicts`. */
  updateWithConflicts<S>(
    pointer: TypedPointer<S>,
    change: Change<TypedDraft<S>>,
    options?: UpdateOptions,
  ): Promise<TypedResource<S>>;
  updateWithConflicts(pointer: Pointer, change: Change<Draft>, options?: UpdateOptions): Promise<Resource>;
  /** Creates or changes one of the controller's outputs. See `State.modify`. */
  modify<S>(
    target: TypedPointer<S> | TypedResource<S>,
    change: Change<TypedDraft<S>>,
    options?: UpdateOptions,
  ): Promise<TypedResource<S>>;
  modify(target: Resource, change: Change<Draft>, options?: UpdateOptions): Promise<Resource>;

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
