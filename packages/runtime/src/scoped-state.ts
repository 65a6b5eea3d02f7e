import {
  type Draft,
  isConflict,
  isNotFound,
  isPendingFinalizers,
  isResource,
  type Kind,
  type Pointer,
  type Resource,
  type TypedPointer,
  TypedResource,
} from '@cosi-ts/resource';
import {
  type CallOptions,
  type Change,
  type CreateOptions,
  type DestroyOptions,
  givenOptions,
  type OwnedState,
  type TeardownOptions,
  type UpdateOptions,
  type WatchCondition,
} from '@cosi-ts/state';
import type { AccessScope } from './access-scope.js';
import { cachedGet, cachedList, type ReadCache } from './cache/read-cache.js';
import type { CachedGetOptions, CachedListOptions } from './cache/read-options.js';
import type { ControllerState } from './controller-state.js';
import { withEither } from './linked-signal.js';
import { settledByRepeating, UnsettledWriteError } from './settling/unsettled-write.js';

/** A piece of a controller's work. */
export interface Work {
  /** Ends its calls. */
  readonly callSignal: AbortSignal;
  /** Told of each output that was written, changed by that or not. */
  written?(pointer: Pointer): void;
}

/** The state as one piece of a controller's work may use it. */
export function scopedState(scope: AccessScope, state: OwnedState, work: Work, cache?: ReadCache): ControllerState {
  // The overloads tie results to the declaration that comes with the argument, which is passed on as it is.
  return new ScopedState(scope, state, work, cache) as unknown as ControllerState;
}

/**
 * Adds the controller's finalizer to an input that was read lately and has it not, and gives the input with it: in one
 * write when nobody else has changed it since. Undefined when it is gone by now, or tearing down: then it is not held. For
 * controllers of this package.
 */
export async function holdInput<S>(
  state: ControllerState,
  input: TypedResource<S>,
): Promise<TypedResource<S> | undefined> {
  if (!((state as unknown) instanceof ScopedState))
    throw new TypeError('inputs are held through a controller’s own state');
  return (state as unknown as ScopedState).hold(input) as Promise<TypedResource<S> | undefined>;
}

class ScopedState {
  readonly #scope: AccessScope;
  readonly #state: OwnedState;
  readonly #work: Work;
  readonly #cache: ReadCache | undefined;

  constructor(scope: AccessScope, state: OwnedState, work: Work, cache: ReadCache | undefined) {
    this.#scope = scope;
    this.#state = state;
    this.#work = work;
    this.#cache = cache;
  }

  get owner(): string {
    return this.#state.owner;
  }

  async get(pointer: Pointer, options?: CachedGetOptions): Promise<Resource> {
    const at = asked(pointer);
    this.#scope.checkRead(at);
    const { uncached, ...rest } = options ?? {};
    const cache = uncached === true ? undefined : this.#cache?.of(at);
    return this.#call(rest, (own) => (cache === undefined ? this.#state.get(at, own) : cachedGet(cache, at, own)));
  }

  async find(pointer: Pointer, options?: CachedGetOptions): Promise<Resource | undefined> {
    try {
      return await this.get(pointer, options);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async list(kind: Kind, options?: CachedListOptions): Promise<readonly Resource[]> {
    const of = asked(kind);
    this.#scope.checkRead(of);
    const { uncached, ...rest } = options ?? {};
    const cache = uncached === true ? undefined : this.#cache?.of(of);
    return this.#call(rest, (own) => (cache === undefined ? this.#state.list(of, own) : cachedList(cache, of, own)));
  }

  async watchFor(pointer: Pointer, condition: WatchCondition, options?: CallOptions): Promise<Resource> {
    const at = asked(pointer);
    this.#scope.checkRead(at);
    return this.#call(options, (own) => this.#state.watchFor(at, condition, own));
  }

  async create(resource: Resource, options?: CreateOptions): Promise<Resource> {
    this.#scope.checkWrite(resource.metadata);
    return this.#written(await this.#call(options, (own) => this.#state.create(resource, own)));
  }

  async update(resource: Resource, options?: UpdateOptions): Promise<Resource> {
    this.#scope.checkWrite(resource.metadata);
    return this.#written(await this.#call(options, (own) => this.#state.update(resource, own)));
  }

  async updateWithConflicts(pointer: Pointer, change: Change<Draft>, options?: UpdateOptions): Promise<Resource> {
    const at = asked(pointer);
    this.#scope.checkWrite(at);
    const update = () => this.#call(options, (own) => this.#state.updateWithConflicts(at, change, own));
    return this.#written(await (this.#isOwn(options) ? settledByRepeating(update) : update()));
  }

  async modify(target: Resource | Pointer, change: Change<Draft>, options?: UpdateOptions): Promise<Resource> {
    const at = isResource(target) ? target : asked(target);
    this.#scope.checkWrite(isResource(at) ? at.metadata : at);
    const modify = () => this.#call(options, (own) => this.#state.modify(at as Resource, change, own));
    return this.#written(await (this.#isOwn(options) ? settledByRepeating(modify) : modify()));
  }

  async teardown(pointer: Pointer, options?: TeardownOptions): Promise<boolean> {
    const at = asked(pointer);
    this.#scope.checkWrite(at);
    const teardown = () => this.#call(options, (own) => this.#state.teardown(at, own));
    try {
      return await (this.#isOwn(options) ? settledByRepeating(teardown) : teardown());
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  }

  async destroy(pointer: Pointer, options?: DestroyOptions): Promise<void> {
    const at = asked(pointer);
    this.#scope.checkWrite(at);
    try {
      await this.#call(options, (own) => this.#state.destroy(at, own));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async destroyIfReady(pointer: Pointer, options?: TeardownOptions): Promise<boolean> {
    const [at, given] = [asked(pointer), givenOptions(options ?? {})];
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
    const at = asked(pointer);
    this.#scope.checkFinalizer(at);
    const given = this.#finalizers(names);
    const add = () => this.#call(options, (own) => this.#state.addFinalizer(at, given, own));
    await (this.#areOwn(given) ? settledByRepeating(add) : add());
  }

  /** See {@link holdInput}. */
  async hold(input: Resource): Promise<Resource | undefined> {
    this.#scope.checkFinalizer(input.metadata);
    const { id, namespace } = input.metadata;
    const at = input instanceof TypedResource ? input.declaration.at(id, namespace) : input.metadata;
    let present: Resource | undefined = input;
    while (present?.metadata.phase === 'running' && !present.metadata.finalizers.includes(this.owner)) {
      const { metadata }: Resource = present;
      const held = present.withMetadata(metadata.with({ finalizers: [...metadata.finalizers, this.owner] }));
      try {
        return await this.#call({ owner: metadata.owner }, (own: UpdateOptions) => this.#state.update(held, own));
      } catch (error) {
        const isUnsettled = error instanceof UnsettledWriteError;
        if (!isUnsettled && !isNotFound(error) && !isConflict(error)) throw error;
        present = (await this.find(at, { uncached: true })) as Resource | undefined;
        // A conflict with what has not changed is none that another attempt could end.
        if (present?.metadata.version === metadata.version && present?.metadata.created.equals(metadata.created)) {
          throw error;
        }
      }
    }
    return present?.metadata.phase === 'running' ? present : undefined;
  }

  async removeFinalizer(pointer: Pointer, names?: string | readonly string[], options?: CallOptions): Promise<void> {
    const at = asked(pointer);
    this.#scope.checkFinalizer(at);
    const given = this.#finalizers(names);
    const remove = () => this.#call(options, (own) => this.#state.removeFinalizer(at, given, own));
    try {
      await (this.#areOwn(given) ? settledByRepeating(remove) : remove());
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Whether it is of what is the controller's own: nobody else changes that, and so its own change can be made again. */
  #isOwn(options: { readonly owner?: string | undefined } | undefined): boolean {
    return (options?.owner ?? this.owner) === this.owner;
  }

  #finalizers(names: string | readonly string[] = this.owner): readonly string[] {
    return typeof names === 'string' ? [names] : [...names];
  }

  /** Whether nobody else adds and removes these finalizers. */
  #areOwn(names: readonly string[]): boolean {
    return names.every((name) => name === this.owner);
  }

  #written(resource: Resource): Resource {
    this.#work.written?.(resource.metadata);
    return resource;
  }

  #call<O extends CallOptions, T>(options: O | undefined, call: (options: O) => Promise<T>): Promise<T> {
    const { callSignal } = this.#work;
    callSignal.throwIfAborted();
    return withEither(callSignal, options?.signal, (either) => call({ ...options, signal: either } as O));
  }
}

/** What is checked is what is called: getters need not say the same twice. The declaration types the result. */
function asked<S extends Kind | Pointer>(subject: S): S {
  const { namespace, type, id, declaration } = subject as Partial<TypedPointer<unknown>>;
  return {
    namespace,
    type,
    ...('id' in subject ? { id } : {}),
    ...(declaration === undefined ? {} : { declaration }),
  } as unknown as S;
}
