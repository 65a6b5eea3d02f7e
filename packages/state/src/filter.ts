import { DeniedError, type Kind, type Pointer, type Resource } from '@cosi-ts/resource';
import { givenWrites, pointerOf, type Write, type WriteOutcome } from './bulk.js';
import {
  type BulkWriteCapable,
  type Closable,
  canClose,
  canTeardown,
  canTeardownAndDestroy,
  canWriteMany,
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
import { givenKind, givenOptions, givenPointer } from './given.js';
import { markRefusal } from './refusal.js';
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
  const guarded: CoreState & Partial<TeardownCapable & TeardownAndDestroyCapable & BulkWriteCapable & Closable> =
    new FilteredState(core, guard);
  if (canTeardown(core)) {
    guarded.teardown = async (pointer: Pointer, options: TeardownOptions = {}) =>
      guard.pass(givenPointer(pointer), [verbs.get, verbs.update], options, (at, given) => core.teardown(at, given));
  }
  if (canTeardownAndDestroy(core)) {
    const asked = [verbs.get, verbs.update, verbs.watch, verbs.destroy];
    guarded.teardownAndDestroy = async (pointer: Pointer, options: TeardownAndDestroyOptions = {}) =>
      guard.pass(givenPointer(pointer), asked, options, (at, given) => core.teardownAndDestroy(at, given));
  }
  if (canWriteMany(core)) {
    guarded.writeMany = (writes: readonly Write[], options: CallOptions = {}) =>
      writeAllowed(core, guard, givenWrites(writes), givenOptions(options));
  }
  if (canClose(core)) guarded.close = () => core.close();
  return guarded;
}

/** Passes on the writes that are allowed; the others have what the rule threw for their outcome. */
async function writeAllowed(
  core: CoreState & BulkWriteCapable,
  guard: Guard,
  writes: readonly Write[],
  options: CallOptions,
): Promise<readonly WriteOutcome[]> {
  options.signal?.throwIfAborted();
  const asked = await Promise.allSettled(
    writes.map((write) => guard.pass(givenPointer(pointerOf(write)), [verbs[write.type]], options, async () => write)),
  );
  const allowed = asked.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const written = (await core.writeMany(allowed, options)).values();
  return asked.map((answer) => (answer.status === 'rejected' ? answer : (written.next().value as WriteOutcome)));
}

class Guard {
  readonly #rule: AccessRule;

  constructor(rule: AccessRule) {
    this.#rule = rule;
  }

  /** Asks for each verb in turn, then makes the call: with the very subject and options that were asked about. */
  async pass<S extends Pointer | Kind, O extends CallOptions, T>(
    subject: S,
    asked: readonly Verb[],
    options: O,
    call: (subject: S, options: O) => Promise<T>,
  ): Promise<T> {
    const { namespace, type } = subject;
    const where = 'id' in subject ? { namespace, type, id: subject.id } : { namespace, type };
    const given = givenOptions(options);
    for (const each of asked) {
      given.signal?.throwIfAborted();
      await this.#ask({ ...where, verb: each }, given.context ?? {});
    }
    given.signal?.throwIfAborted();
    return call(subject, given);
  }

  async #ask(access: Access, context: CallContext): Promise<void> {
    try {
      await this.#rule(access, context);
    } catch (error) {
      markRefusal(error, access, context);
      throw error;
    }
  }
}

class FilteredState implements CoreState {
  readonly #core: CoreState;
  readonly #guard: Guard;

  constructor(core: CoreState, guard: Guard) {
    this.#core = core;
    this.#guard = guard;
  }

  async get(pointer: Pointer, options: GetOptions = {}): Promise<Resource> {
    return this.#guard.pass(givenPointer(pointer), [verbs.get], options, (at, given) => this.#core.get(at, given));
  }

  async list(kind: Kind, options: ListOptions = {}): Promise<readonly Resource[]> {
    return this.#guard.pass(givenKind(kind), [verbs.list], options, (at, given) => this.#core.list(at, given));
  }

  async create(resource: Resource, options: CreateOptions = {}): Promise<Resource> {
    return this.#guard.pass(givenPointer(resource.metadata), [verbs.create], options, (_at, given) =>
      this.#core.create(resource, given),
    );
  }

  async update(resource: Resource, options: UpdateOptions = {}): Promise<Resource> {
    return this.#guard.pass(givenPointer(resource.metadata), [verbs.update], options, (_at, given) =>
      this.#core.update(resource, given),
    );
  }

  async destroy(pointer: Pointer, options: DestroyOptions = {}): Promise<void> {
    return this.#guard.pass(givenPointer(pointer), [verbs.destroy], options, (at, given) =>
      this.#core.destroy(at, given),
    );
  }

  async watch(pointer: Pointer, options: WatchOptions = {}): Promise<Watch<Event>> {
    return this.#guard.pass(givenPointer(pointer), [verbs.watch], options, (at, given) => this.#core.watch(at, given));
  }

  async watchKind(kind: Kind, options: WatchKindOptions = {}): Promise<Watch<Event>> {
    return this.#guard.pass(givenKind(kind), [verbs.watch], options, (at, given) => this.#core.watchKind(at, given));
  }

  async watchKindAggregated(kind: Kind, options: WatchKindOptions = {}): Promise<Watch<readonly Event[]>> {
    return this.#guard.pass(givenKind(kind), [verbs.watch], options, (at, given) =>
      this.#core.watchKindAggregated(at, given),
    );
  }
}
