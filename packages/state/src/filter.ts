import { DeniedError, type Kind, type Pointer, type Resource } from '@cosi-ts/resource';
import {
  type Closable,
  canClose,
  canTeardown,
  canTeardownAndDestroy,
  type TeardownAndDestroyCapable,
  type TeardownAndDestroyOptions,
  type TeardownCapable,
  type TeardownOptions,
} from './capabilities.js';
import type {
  CallContext,
  CallOptions,
  CoreState,
  CreateOptions,
  DestroyOptions,
  GetOptions,
  ListOptions,
  UpdateOptions,
  WatchKindOptions,
  WatchOptions,
} from './core-state.js';
import type { Event } from './event.js';
import type { Watch } from './watch.js';

/** What an access does. */
export interface Verb {
  readonly name: 'get' | 'list' | 'watch' | 'create' | 'update' | 'destroy';
  /** True of get, list and watch. */
  readonly readonly: boolean;
}

const verb = (name: Verb['name'], readonly: boolean): Verb => Object.freeze({ name, readonly });

export const verbs = Object.freeze({
  get: verb('get', true),
  list: verb('list', true),
  watch: verb('watch', true),
  create: verb('create', false),
  update: verb('update', false),
  destroy: verb('destroy', false),
});

/** One access that a rule is asked about. */
export interface Access extends Kind {
  /** Absent when the access is to a whole kind. */
  readonly id?: string;
  readonly verb: Verb;
}

/**
 * Decides on each access before it happens. It denies by throwing, and what it throws reaches the caller: a
 * {@link DeniedError}, made with {@link denied}, unless there is something better to say.
 */
export type AccessRule = (access: Access, context: CallContext) => void | Promise<void>;

/** The error that says no, with the access named. */
export function denied(access: Access, reason = 'not allowed'): DeniedError {
  const { namespace, type, id } = access;
  const where = id === undefined ? `${type}(${namespace})` : `${type}(${namespace}/${id})`;
  const subject = id === undefined ? { namespace, type } : { namespace, type, id };
  return new DeniedError(`${access.verb.name} of ${where} denied: ${reason}`, { subject });
}

/**
 * The state behind an access rule. Composed operations are seen as what they are made of: teardown as get and update.
 * Where the state offers them natively, all their verbs are asked for before the first step. Capabilities that this
 * function does not know are not passed on, so that no path leads around the rule.
 */
export function filter(core: CoreState, rule: AccessRule): CoreState {
  const guard = new Guard(rule);
  const guarded: CoreState & Partial<TeardownCapable & TeardownAndDestroyCapable & Closable> = new FilteredState(
    core,
    guard,
  );
  if (canTeardown(core)) {
    guarded.teardown = async (pointer: Pointer, options: TeardownOptions = {}) => {
      await guard.check(pointer, [verbs.get, verbs.update], options);
      return core.teardown(pointer, options);
    };
  }
  if (canTeardownAndDestroy(core)) {
    guarded.teardownAndDestroy = async (pointer: Pointer, options: TeardownAndDestroyOptions = {}) => {
      await guard.check(pointer, [verbs.get, verbs.update, verbs.watch, verbs.destroy], options);
      return core.teardownAndDestroy(pointer, options);
    };
  }
  if (canClose(core)) guarded.close = () => core.close();
  return guarded;
}

class Guard {
  readonly #rule: AccessRule;

  constructor(rule: AccessRule) {
    this.#rule = rule;
  }

  async check(subject: Pointer | Kind, asked: readonly Verb[], options: CallOptions = {}): Promise<void> {
    const { namespace, type } = subject;
    const where = 'id' in subject ? { namespace, type, id: subject.id } : { namespace, type };
    for (const each of asked) {
      options.signal?.throwIfAborted();
      await this.#rule({ ...where, verb: each }, options.context ?? {});
    }
    options.signal?.throwIfAborted();
  }
}

class FilteredState implements CoreState {
  readonly #core: CoreState;
  readonly #guard: Guard;

  constructor(core: CoreState, guard: Guard) {
    this.#core = core;
    this.#guard = guard;
  }

  async get(pointer: Pointer, options?: GetOptions): Promise<Resource> {
    await this.#guard.check(pointer, [verbs.get], options);
    return this.#core.get(pointer, options);
  }

  async list(kind: Kind, options?: ListOptions): Promise<readonly Resource[]> {
    await this.#guard.check(kindOf(kind), [verbs.list], options);
    return this.#core.list(kind, options);
  }

  async create(resource: Resource, options?: CreateOptions): Promise<Resource> {
    await this.#guard.check(resource.metadata, [verbs.create], options);
    return this.#core.create(resource, options);
  }

  async update(resource: Resource, options?: UpdateOptions): Promise<Resource> {
    await this.#guard.check(resource.metadata, [verbs.update], options);
    return this.#core.update(resource, options);
  }

  async destroy(pointer: Pointer, options?: DestroyOptions): Promise<void> {
    await this.#guard.check(pointer, [verbs.destroy], options);
    return this.#core.destroy(pointer, options);
  }

  async watch(pointer: Pointer, options?: WatchOptions): Promise<Watch<Event>> {
    await this.#guard.check(pointer, [verbs.watch], options);
    return this.#core.watch(pointer, options);
  }

  async watchKind(kind: Kind, options?: WatchKindOptions): Promise<Watch<Event>> {
    await this.#guard.check(kindOf(kind), [verbs.watch], options);
    return this.#core.watchKind(kind, options);
  }

  async watchKindAggregated(kind: Kind, options?: WatchKindOptions): Promise<Watch<readonly Event[]>> {
    await this.#guard.check(kindOf(kind), [verbs.watch], options);
    return this.#core.watchKindAggregated(kind, options);
  }
}

/** A pointer given as a kind must not make the rule see an id. */
function kindOf(kind: Kind): Kind {
  return { namespace: kind.namespace, type: kind.type };
}
