import type { Kind, Pointer, Resource } from '@cosi-ts/resource';
import {
  type CallOptions,
  type CoreState,
  type CreateOptions,
  createWatch,
  type DestroyOptions,
  type Event,
  type GetOptions,
  type ListOptions,
  type UpdateOptions,
  type Watch,
  type WatchKindOptions,
  type WatchOptions,
} from '@cosi-ts/state';

/** A state that shows what reaches the one behind it. */
export class ObservedCore implements CoreState {
  readonly calls: { readonly name: string; readonly options: CallOptions | undefined }[] = [];
  /** Called before each operation; what it gives is waited for. */
  before: (name: string, options: CallOptions | undefined) => Promise<void> | void = () => {};
  /** How many watches hold something. */
  openWatches = 0;
  readonly #core: CoreState;
  readonly #waiting = new Set<() => void>();

  constructor(core: CoreState) {
    this.#core = core;
  }

  /** Resolves when so many watches are open. */
  async watching(count: number): Promise<void> {
    while (this.openWatches !== count) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  #changed(by: number): void {
    this.openWatches += by;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  async #called(name: string, options: CallOptions | undefined): Promise<void> {
    this.calls.push({ name, options });
    await this.before(name, options);
  }

  async get(pointer: Pointer, options?: GetOptions): Promise<Resource> {
    await this.#called('get', options);
    return this.#core.get(pointer, options);
  }

  async list(kind: Kind, options?: ListOptions): Promise<readonly Resource[]> {
    await this.#called('list', options);
    return this.#core.list(kind, options);
  }

  async create(resource: Resource, options?: CreateOptions): Promise<Resource> {
    await this.#called('create', options);
    return this.#core.create(resource, options);
  }

  async update(resource: Resource, options?: UpdateOptions): Promise<Resource> {
    await this.#called('update', options);
    return this.#core.update(resource, options);
  }

  async destroy(pointer: Pointer, options?: DestroyOptions): Promise<void> {
    await this.#called('destroy', options);
    return this.#core.destroy(pointer, options);
  }

  async watch(pointer: Pointer, options?: WatchOptions): Promise<Watch<Event>> {
    await this.#called('watch', options);
    return this.#counted(await this.#core.watch(pointer, { ...options, signal: undefined }), options);
  }

  async watchKind(kind: Kind, options?: WatchKindOptions): Promise<Watch<Event>> {
    await this.#called('watchKind', options);
    return this.#counted(await this.#core.watchKind(kind, { ...options, signal: undefined }), options);
  }

  async watchKindAggregated(kind: Kind, options?: WatchKindOptions): Promise<Watch<readonly Event[]>> {
    await this.#called('watchKindAggregated', options);
    return this.#counted(await this.#core.watchKindAggregated(kind, { ...options, signal: undefined }), options);
  }

  #counted<T>(watch: Watch<T>, options: CallOptions | undefined): Watch<T> {
    this.#changed(1);
    return createWatch<T>(
      {
        pull: async () => (await watch.next()).value,
        close: () => {
          this.#changed(-1);
          return watch.close();
        },
      },
      options?.signal,
    );
  }
}
