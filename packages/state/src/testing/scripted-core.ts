import {
  AlreadyExistsError,
  type Kind,
  NotFoundError,
  OwnerConflictError,
  type Pointer,
  pointerKey,
  type Resource,
  VersionConflictError,
} from '@cosi-ts/resource';
import type { CoreState, CreateOptions, DestroyOptions, UpdateOptions } from '../core-state.js';
import type { Event } from '../event.js';
import { createWatch, type Watch } from '../watch.js';

/**
 * A core state for the tests of what is built on one: a map, watches whose events a test pushes, a record of the
 * calls, and a hook before each call in which a test can do what a racing client would.
 */
export class ScriptedCore implements CoreState {
  readonly resources = new Map<string, Resource>();
  readonly calls: string[] = [];
  readonly watches: { push(event: Event): void; closed: boolean }[] = [];
  before: ((call: string) => void) | undefined;

  put(resource: Resource): void {
    this.resources.set(pointerKey(pointerOf(resource.metadata)), resource);
  }

  stored(pointer: Pointer): Resource | undefined {
    return this.resources.get(pointerKey(pointerOf(pointer)));
  }

  #called(call: string): void {
    this.calls.push(call);
    this.before?.(call);
  }

  async get(pointer: Pointer): Promise<Resource> {
    this.#called('get');
    return this.#existing(pointer);
  }

  async list(kind: Kind): Promise<readonly Resource[]> {
    this.#called('list');
    return [...this.resources.values()].filter(({ metadata }) => metadata.type === kind.type);
  }

  async create(resource: Resource, options: CreateOptions = {}): Promise<Resource> {
    this.#called('create');
    if (this.stored(resource.metadata) !== undefined) throw new AlreadyExistsError(resource.metadata);
    const owner = options.owner ?? resource.metadata.owner;
    const created = resource.withMetadata(resource.metadata.with({ version: 1n, owner }));
    this.put(created);
    return created;
  }

  async update(resource: Resource, options: UpdateOptions = {}): Promise<Resource> {
    this.#called('update');
    const { metadata } = this.#existing(resource.metadata);
    if (metadata.owner !== (options.owner ?? '')) {
      throw new OwnerConflictError(metadata, metadata.owner, options.owner ?? '');
    }
    if (metadata.version !== resource.metadata.version) {
      throw new VersionConflictError(metadata, resource.metadata.version, metadata.version);
    }
    const updated = resource.withMetadata(resource.metadata.with({ version: (metadata.version ?? 0n) + 1n }));
    this.put(updated);
    return updated;
  }

  async destroy(pointer: Pointer, _options: DestroyOptions = {}): Promise<void> {
    this.#called('destroy');
    this.#existing(pointer);
    this.resources.delete(pointerKey(pointerOf(pointer)));
  }

  async watch(): Promise<Watch<Event>> {
    this.#called('watch');
    const ready: Event[] = [];
    let wake: (() => void) | undefined;
    const record = {
      closed: false,
      push: (event: Event) => {
        ready.push(event);
        wake?.();
      },
    };
    this.watches.push(record);
    return createWatch<Event>({
      async pull() {
        while (ready.length === 0 && !record.closed) await new Promise<void>((resolve) => (wake = resolve));
        return ready.shift();
      },
      close() {
        record.closed = true;
        wake?.();
      },
    });
  }

  watchKind(): Promise<Watch<Event>> {
    return this.watch();
  }

  async watchKindAggregated(): Promise<Watch<readonly Event[]>> {
    throw new Error('not scripted');
  }

  #existing(pointer: Pointer): Resource {
    const stored = this.stored(pointer);
    if (stored === undefined) throw new NotFoundError(pointerOf(pointer));
    return stored;
  }
}

function pointerOf({ namespace, type, id }: Pointer): Pointer {
  return { namespace, type, id };
}
