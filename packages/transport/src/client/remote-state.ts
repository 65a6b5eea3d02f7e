import type { Transport } from '@connectrpc/connect';
import { isUnsupported, type Kind, type Pointer, type Resource } from '@cosi-ts/resource';
import {
  type Closable,
  type CoreState,
  type CreateOptions,
  type DestroyOptions,
  type Event,
  type GetOptions,
  givenOptions,
  givenPointer,
  type ListOptions,
  type State,
  type TeardownAndDestroyCapable,
  type TeardownAndDestroyOptions,
  type TeardownCapable,
  type TeardownOptions,
  type UpdateOptions,
  type Watch,
  type WatchKindOptions,
  type WatchOptions,
  wrapState,
} from '@cosi-ts/state';
import { Calls } from './calls.js';
import { RemoteCore, type RemoteCoreOptions } from './remote-core.js';
import { isUnimplemented } from './status.js';

/** A state in another process. */
export interface RemoteState extends CoreState, TeardownCapable, TeardownAndDestroyCapable, Closable, AsyncDisposable {}

/** Which of the calls that old peers lack this one was seen to lack. */
interface Missing {
  teardown: boolean;
  teardownAndDestroy: boolean;
}

/**
 * The remote operations with what a peer may lack composed of the others.
 *
 * @param disconnect ends the connections; called once, when no call is left
 */
export function remoteState(transport: Transport, options: RemoteCoreOptions, disconnect: () => void): RemoteState {
  return new Remote(transport, options, disconnect);
}

class Remote implements RemoteState {
  readonly #core: RemoteCore;
  readonly #calls = new Calls();
  /** The operations without the native teardown, on which it can be composed. */
  readonly #composed: State;
  readonly #missing: Missing = { teardown: false, teardownAndDestroy: false };
  readonly #disconnect: () => void;
  #closing: Promise<void> | undefined;

  constructor(transport: Transport, options: RemoteCoreOptions, disconnect: () => void) {
    const core = new RemoteCore(transport, this.#calls, options);
    this.#core = core;
    this.#composed = wrapState(withoutTeardown(core));
    this.#disconnect = disconnect;
  }

  get(pointer: Pointer, options?: GetOptions): Promise<Resource> {
    return this.#core.get(pointer, options);
  }

  list(kind: Kind, options?: ListOptions): Promise<readonly Resource[]> {
    return this.#core.list(kind, options);
  }

  create(resource: Resource, options?: CreateOptions): Promise<Resource> {
    return this.#core.create(resource, options);
  }

  update(resource: Resource, options?: UpdateOptions): Promise<Resource> {
    return this.#core.update(resource, options);
  }

  destroy(pointer: Pointer, options?: DestroyOptions): Promise<void> {
    return this.#core.destroy(pointer, options);
  }

  watch(pointer: Pointer, options?: WatchOptions): Promise<Watch<Event>> {
    return this.#core.watch(pointer, options);
  }

  watchKind(kind: Kind, options?: WatchKindOptions): Promise<Watch<Event>> {
    return this.#core.watchKind(kind, options);
  }

  watchKindAggregated(kind: Kind, options?: WatchKindOptions): Promise<Watch<readonly Event[]>> {
    return this.#core.watchKindAggregated(kind, options);
  }

  async teardown(pointer: Pointer, options: TeardownOptions = {}): Promise<boolean> {
    const [at, given] = [givenPointer(pointer), givenOptions(options)];
    return this.#native(
      'teardown',
      () => this.#core.teardown(at, given),
      () => this.#composed.teardown(at, given),
    );
  }

  async teardownAndDestroy(pointer: Pointer, options: TeardownAndDestroyOptions = {}): Promise<void> {
    const [at, given] = [givenPointer(pointer), givenOptions(options)];
    await this.#native(
      'teardownAndDestroy',
      async () => {
        await this.#core.teardownAndDestroy(at, given);
        await given.beforeDestroy?.();
      },
      () => this.#composed.teardownAndDestroy(at, given),
    );
  }

  async #native<T>(call: keyof Missing, native: () => Promise<T>, composed: () => Promise<T>): Promise<T> {
    if (this.#missing[call]) return composed();
    try {
      return await native();
    } catch (error) {
      if (!isUnsupported(error) || !isUnimplemented(error)) throw error;
      this.#missing[call] = true;
    }
    return composed();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const idle = this.#calls.close();
    await this.#core.closeWatches();
    await idle;
    this.#disconnect();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function withoutTeardown(core: CoreState): CoreState {
  return {
    get: core.get.bind(core),
    list: core.list.bind(core),
    create: core.create.bind(core),
    update: core.update.bind(core),
    destroy: core.destroy.bind(core),
    watch: core.watch.bind(core),
    watchKind: core.watchKind.bind(core),
    watchKindAggregated: core.watchKindAggregated.bind(core),
  };
}
