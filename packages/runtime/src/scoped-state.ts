import {
  type Draft,
  isNotFound,
  isPendingFinalizers,
  isResource,
  type Kind,
  type Pointer,
  type Resource,
} from '@cosi-ts/resource';
import {
  type CallOptions,
  type Change,
  type CreateOptions,
  type DestroyOptions,
  type GetOptions,
  givenOptions,
  givenPointer,
  type ListOptions,
  type OwnedState,
  type TeardownOptions,
  type UpdateOptions,
  type WatchCondition,
} from '@cosi-ts/state';
import type { AccessScope } from './access-scope.js';
import type { ControllerState } from './controller-state.js';
import { withEither } from './linked-signal.js';

/** The state as one piece of a controller's work may use it. */
export function scopedState(
  scope: AccessScope,
  state: OwnedState,
  work: { readonly signal: AbortSignal },
): ControllerState {
  // The overloads tie results to the declaration that comes with the argument, which is passed on as it is.
  return new ScopedState(scope, state, work) as unknown as ControllerState;
}

class ScopedState {
  readonly #scope: AccessScope;
  readonly #state: OwnedState;
  readonly #work: { readonly signal: AbortSignal };

  constructor(scope: AccessScope, state: OwnedState, work: { readonly signal: AbortSignal }) {
    this.#scope = scope;
    this.#state = state;
    this.#work = work;
  }

  get owner(): string {
    return this.#state.owner;
  }

  async get(pointer: Pointer, options?: GetOptions): Promise<Resource> {
    this.#scope.checkRead(pointer);
    return this.#call(options, (own) => this.#state.get(pointer, own));
  }

  async find(pointer: Pointer, options?: GetOptions): Promise<Resource | undefined> {
    try {
      return await this.get(pointer, options);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async list(kind: Kind, options?: ListOptions): Promise<readonly Resource[]> {
    this.#scope.checkRead(kind);
    return this.#call(options, (own) => this.#state.list(kind, own));
  }

  async watchFor(pointer: Pointer, condition: WatchCondition, options?: CallOptions): Promise<Resource> {
    this.#scope.checkRead(pointer);
    return this.#call(options, (own) => this.#state.watchFor(pointer, condition, own));
  }

  async create(resource: Resource, options?: CreateOptions): Promise<Resource> {
    this.#scope.checkWrite(resource.metadata);
    return this.#call(options, (own) => this.#state.create(resource, own));
  }

  async update(resource: Resource, options?: UpdateOptions): Promise<Resource> {
    this.#scope.checkWrite(resource.metadata);
    return this.#call(options, (own) => this.#state.update(resource, own));
  }

  async updateWithConflicts(pointer: Pointer, change: Change<Draft>, options?: UpdateOptions): Promise<Resource> {
    this.#scope.checkWrite(pointer);
    return this.#call(options, (own) => this.#state.updateWithConflicts(pointer, change, own));
  }

  async modify(target: Resource | Pointer, change: Change<Draft>, options?: UpdateOptions): Promise<Resource> {
    this.#scope.checkWrite(isResource(target) ? target.metadata : target);
    return this.#call(options, (own) => this.#state.modify(target as Resource, change, own));
  }

  async teardown(pointer: Pointer, options?: TeardownOptions): Promise<boolean> {
    this.#scope.checkWrite(pointer);
    try {
      return await this.#call(options, (own) => this.#state.teardown(pointer, own));
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  }

  async destroy(pointer: Pointer, options?: DestroyOptions): Promise<void> {
    this.#scope.checkWrite(pointer);
    try {
      await this.#call(options, (own) => this.#state.destroy(pointer, own));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async destroyIfReady(pointer: Pointer, options?: TeardownOptions): Promise<boolean> {
    const [at, given] = [givenPointer(pointer), givenOptions(options ?? {})];
    if (!(await this.teardown(at, given))) return false;
    try {
      await this.destroy(at, given);
      return true;
    } catch (error) {
      // A finalizer came in between.
      if (isPendingFinalizers(error)) return false;
      throw error;
    }
  }

  async addFinalizer(pointer: Pointer, names?: string | readonly string[], options?: CallOptions): Promise<void> {
    this.#scope.checkFinalizer(pointer);
    await this.#call(options, (own) => this.#state.addFinalizer(pointer, names ?? this.owner, own));
  }

  async removeFinalizer(pointer: Pointer, names?: string | readonly string[], options?: CallOptions): Promise<void> {
    this.#scope.checkFinalizer(pointer);
    try {
      await this.#call(options, (own) => this.#state.removeFinalizer(pointer, names ?? this.owner, own));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #call<O extends CallOptions, T>(options: O | undefined, call: (options: O) => Promise<T>): Promise<T> {
    const { signal } = this.#work;
    signal.throwIfAborted();
    return withEither(signal, options?.signal, (either) => call({ ...options, signal: either } as O));
  }
}
