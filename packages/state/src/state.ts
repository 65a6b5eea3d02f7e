import {
  type AnyResourceType,
  Draft,
  isOwnerConflict,
  isVersionConflict,
  type Kind,
  type Pointer,
  Resource,
  TypedDraft,
  type TypedKind,
  type TypedPointer,
  type TypedResource,
} from '@cosi-ts/resource';
import { givenWrites, type Write, type WriteOutcome, writeMany } from './bulk.js';
import { type Closable, canClose, type TeardownAndDestroyOptions, type TeardownOptions } from './capabilities.js';
import { type Change, draftOf, modify, updateWithConflicts } from './changes.js';
import type {
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
import { givenOptions, givenPointer } from './given.js';
import { signalWithTeardown, teardown, teardownAndDestroy } from './teardown.js';
import { typedEvent, typedEvents, typedList } from './typed-events.js';
import { mapWatch, type Watch } from './watch.js';
import { type WatchCondition, watchFor } from './watch-for.js';

/**
 * A state as its users see it: the core operations, typed through declarations, and what is built on them.
 *
 * Calls with a typed pointer or kind (`VMConfig.at('web-1')`, `VMConfig.kind`) give typed resources; calls with a bare
 * `{ namespace, type, id }` give resources whose spec a declaration can read later.
 */
export interface State extends CoreState, Closable {
  /** The state that this one is built on. */
  readonly core: CoreState;

  get<S>(pointer: TypedPointer<S>, options?: GetOptions): Promise<TypedResource<S>>;
  get(pointer: Pointer, options?: GetOptions): Promise<Resource>;
  list<S>(kind: TypedKind<S>, options?: ListOptions): Promise<readonly TypedResource<S>[]>;
  list(kind: Kind, options?: ListOptions): Promise<readonly Resource[]>;
  create<S>(resource: TypedResource<S>, options?: CreateOptions): Promise<TypedResource<S>>;
  create(resource: Resource, options?: CreateOptions): Promise<Resource>;
  update<S>(resource: TypedResource<S>, options?: UpdateOptions): Promise<TypedResource<S>>;
  update(resource: Resource, options?: UpdateOptions): Promise<Resource>;
  watch<S>(pointer: TypedPointer<S>, options?: WatchOptions): Promise<Watch<Event<TypedResource<S>>>>;
  watch(pointer: Pointer, options?: WatchOptions): Promise<Watch<Event>>;
  watchKind<S>(kind: TypedKind<S>, options?: WatchKindOptions): Promise<Watch<Event<TypedResource<S>>>>;
  watchKind(kind: Kind, options?: WatchKindOptions): Promise<Watch<Event>>;
  watchKindAggregated<S>(
    kind: TypedKind<S>,
    options?: WatchKindOptions,
  ): Promise<Watch<readonly Event<TypedResource<S>>[]>>;
  watchKindAggregated(kind: Kind, options?: WatchKindOptions): Promise<Watch<readonly Event[]>>;

  /**
   * Reads the resource, lets the function change a draft of it, and writes the result when it differs, beginning again
   * when someone else wrote in between: the function may run several times. The expected phase (default: running) is
   * checked also when nothing changes; a change of nothing writes no event. Owner and phase conflicts and what the
   * function throws end it.
   */
  updateWithConflicts<S>(
    pointer: TypedPointer<S>,
    change: Change<TypedDraft<S>>,
    options?: UpdateOptions,
  ): Promise<TypedResource<S>>;
  updateWithConflicts(pointer: Pointer, change: Change<Draft>, options?: UpdateOptions): Promise<Resource>;

  /**
   * Like {@link updateWithConflicts}, and creates the resource when it is absent: from an empty spec, or from the
   * resource given instead of a pointer.
   */
  modify<S>(
    target: TypedPointer<S> | TypedResource<S>,
    change: Change<TypedDraft<S>>,
    options?: UpdateOptions,
  ): Promise<TypedResource<S>>;
  modify(target: Resource, change: Change<Draft>, options?: UpdateOptions): Promise<Resource>;

  /**
   * Asks for the end of a resource: sets its phase to tearing down, unless it is there. True when it has no finalizers
   * and so can be destroyed. The owner is not checked when it is tearing down already.
   */
  teardown(pointer: Pointer, options?: TeardownOptions): Promise<boolean>;

  /** Tears down, waits until the finalizers are gone, and destroys. Success, too, when someone else destroys it meanwhile. */
  teardownAndDestroy(pointer: Pointer, options?: TeardownAndDestroyOptions): Promise<void>;

  /**
   * Makes many writes, without a transaction: each succeeds or fails by itself, and the outcomes come in the order of
   * the writes. Writes to one resource take effect in their order. A durable state makes many durable in one go; others
   * write one after the other. When the signal aborts, those that have not begun are rejected with its reason.
   */
  writeMany(writes: readonly Write[], options?: CallOptions): Promise<readonly WriteOutcome[]>;

  /** Adds finalizers, whoever owns the resource and in whatever phase. Writes nothing when all are there. */
  addFinalizer(pointer: Pointer, names: string | readonly string[], options?: CallOptions): Promise<void>;

  /** Removes finalizers, whoever owns the resource and in whatever phase. Writes nothing when none is there. */
  removeFinalizer(pointer: Pointer, names: string | readonly string[], options?: CallOptions): Promise<void>;

  /**
   * Waits for an event, the present included, that meets all of the condition, and gives its resource. Rejects with
   * the watch's error and with the signal's reason.
   */
  watchFor<S>(
    pointer: TypedPointer<S>,
    condition: WatchCondition<TypedResource<S>>,
    options?: CallOptions,
  ): Promise<TypedResource<S>>;
  watchFor(pointer: Pointer, condition: WatchCondition, options?: CallOptions): Promise<Resource>;

  /**
   * A signal that aborts when the resource is torn down or destroyed: at once when it is already. It aborts also when
   * its watch fails, with that error, and with `options.signal`, which is how to stop it.
   */
  signalWithTeardown(pointer: Pointer, options?: CallOptions): Promise<AbortSignal>;
}

/** Builds the full interface on any core state. A state that has it already is given back as it is. */
export function wrapState(core: CoreState): State {
  return (core instanceof WrappedState ? core : new WrappedState(core)) as CoreState as State;
}

// The overloads of the interface tie results to declarations, which an implementation cannot restate: what is checked
// here is that a declaration, when there is one, reads every result.
class WrappedState {
  readonly core: CoreState;

  constructor(core: CoreState) {
    this.core = core;
  }

  async get(pointer: Pointer, options?: GetOptions): Promise<Resource> {
    return reader(pointer)(await this.core.get(pointer, options));
  }

  async list(kind: Kind, options?: ListOptions): Promise<readonly Resource[]> {
    const declaration = declarationOf(kind);
    const resources = await this.core.list(kind, options);
    return declaration === undefined ? resources : typedList(resources, declaration);
  }

  async create(resource: Resource, options?: CreateOptions): Promise<Resource> {
    return reader(resource)(await this.core.create(resource, options));
  }

  async update(resource: Resource, options?: UpdateOptions): Promise<Resource> {
    return reader(resource)(await this.core.update(resource, options));
  }

  destroy(pointer: Pointer, options?: DestroyOptions): Promise<void> {
    return this.core.destroy(pointer, options);
  }

  async watch(pointer: Pointer, options?: WatchOptions): Promise<Watch<Event>> {
    const watch = await this.core.watch(pointer, options);
    const declaration = declarationOf(pointer);
    return declaration === undefined ? watch : mapWatch(watch, (event) => typedEvent(event, declaration));
  }

  async watchKind(kind: Kind, options?: WatchKindOptions): Promise<Watch<Event>> {
    const watch = await this.core.watchKind(kind, options);
    const declaration = declarationOf(kind);
    return declaration === undefined ? watch : mapWatch(watch, (event) => typedEvent(event, declaration));
  }

  async watchKindAggregated(kind: Kind, options?: WatchKindOptions): Promise<Watch<readonly Event[]>> {
    const watch = await this.core.watchKindAggregated(kind, options);
    const declaration = declarationOf(kind);
    return declaration === undefined ? watch : mapWatch(watch, (events) => typedEvents(events, declaration));
  }

  async updateWithConflicts(pointer: Pointer, change: Change<never>, options: UpdateOptions = {}): Promise<Resource> {
    const read = reader(pointer);
    return read(await updateWithConflicts(this.core, read, pointer, change as Change<Draft>, options));
  }

  async modify(
    target: TypedPointer<unknown> | Resource,
    change: Change<never>,
    options: UpdateOptions = {},
  ): Promise<Resource> {
    const read = reader(target);
    const isResource = target instanceof Resource;
    const pointer = isResource ? target.metadata : { ...givenPointer(target), declaration: target.declaration };
    const blank = () => (isResource ? draftOf(target) : TypedDraft.blank(pointer as TypedPointer<unknown>));
    return read(await modify(this.core, read, pointer, blank, change as Change<Draft>, options));
  }

  teardown(pointer: Pointer, options?: TeardownOptions): Promise<boolean> {
    return teardown(this.core, pointer, options);
  }

  teardownAndDestroy(pointer: Pointer, options?: TeardownAndDestroyOptions): Promise<void> {
    return teardownAndDestroy(this.core, pointer, options);
  }

  async writeMany(writes: readonly Write[], options: CallOptions = {}): Promise<readonly WriteOutcome[]> {
    const given = givenWrites(writes);
    const outcomes = await writeMany(this.core, given, options);
    return outcomes.map((outcome, i) => {
      const write = given[i];
      if (outcome.status === 'rejected' || outcome.value === undefined || write?.type === 'destroy') return outcome;
      return { status: 'fulfilled', value: reader(write?.resource ?? {})(outcome.value) };
    });
  }

  addFinalizer(pointer: Pointer, names: string | readonly string[], options?: CallOptions): Promise<void> {
    return this.#changeFinalizers(pointer, names, options, (draft, name) => draft.metadata.finalizers.add(name));
  }

  removeFinalizer(pointer: Pointer, names: string | readonly string[], options?: CallOptions): Promise<void> {
    return this.#changeFinalizers(pointer, names, options, (draft, name) => draft.metadata.finalizers.remove(name));
  }

  async #changeFinalizers(
    pointer: Pointer,
    names: string | readonly string[],
    options: CallOptions = {},
    change: (draft: Draft, name: string) => boolean,
  ): Promise<void> {
    const list = typeof names === 'string' ? [names] : [...names];
    const [at, given] = [givenPointer(pointer), givenOptions(options)];
    let refused: { readonly stored: Resource; readonly error: unknown } | undefined;
    for (;;) {
      const stored = await this.core.get(at, given);
      // Nobody else wrote: a peer refuses the call and means something else than the owner.
      if (refused !== undefined && isSameSnapshot(refused.stored, stored)) throw refused.error;
      const draft = new Draft(stored);
      for (const name of list) change(draft, name);
      const changed = draft.finish();
      if (changed === stored) return;
      try {
        await this.core.update(changed, { ...given, owner: stored.metadata.owner, expectedPhase: 'any' });
        return;
      } catch (error) {
        if (!isVersionConflict(error) && !isOwnerConflict(error)) throw error;
        // An owner can be set for the first time in between.
        refused = isOwnerConflict(error) ? { stored, error } : undefined;
      }
    }
  }

  watchFor(pointer: Pointer, condition: WatchCondition<never>, options: CallOptions = {}): Promise<Resource> {
    const declaration = declarationOf(pointer);
    const read = (event: Event) => (declaration === undefined ? event : typedEvent(event, declaration));
    return watchFor(this.core, pointer, read, condition as WatchCondition, options);
  }

  signalWithTeardown(pointer: Pointer, options?: CallOptions): Promise<AbortSignal> {
    return signalWithTeardown(this.core, pointer, options);
  }

  async close(): Promise<void> {
    if (canClose(this.core)) await this.core.close();
  }
}

/** The declaration that a typed pointer, kind or resource brings along. */
function declarationOf(subject: object): AnyResourceType | undefined {
  return (subject as { readonly declaration?: AnyResourceType }).declaration;
}

function reader(subject: object): (resource: Resource) => Resource {
  const declaration = declarationOf(subject);
  return declaration === undefined ? (resource) => resource : (resource) => declaration.from(resource);
}

function isSameSnapshot(a: Resource, b: Resource): boolean {
  return a.metadata.equals(b.metadata) && a.metadata.created.equals(b.metadata.created);
}
