import { isUnsupported, type Kind, type Pointer, type Resource } from '@cosi-ts/resource';
import {
  type CallOptions,
  type Clock,
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
import { linkSignals } from '../linked-signal.js';
import { Calls } from './calls.js';
import type { StateChannel } from './channel.js';
import { Deadline } from './deadline.js';
import { Readiness } from './readiness.js';
import { RemoteCore, type RemoteCoreOptions, type TimeoutOptions } from './remote-core.js';
import type { ResolvedRemoteStateOptions } from './remote-options.js';
import { isUnimplemented } from './status.js';
import type { Tokens } from './tokens.js';

/** A state in another process. Its calls take a time of their own, see {@link TimeoutOptions}. */
export interface RemoteState extends CoreState, TeardownCapable, TeardownAndDestroyCapable, Closable, AsyncDisposable {
  get(pointer: Pointer, options?: GetOptions & TimeoutOptions): Promise<Resource>;
  list(kind: Kind, options?: ListOptions & TimeoutOptions): Promise<readonly Resource[]>;
  create(resource: Resource, options?: CreateOptions & TimeoutOptions): Promise<Resource>;
  update(resource: Resource, options?: UpdateOptions & TimeoutOptions): Promise<Resource>;
  destroy(pointer: Pointer, options?: DestroyOptions & TimeoutOptions): Promise<void>;
  watch(pointer: Pointer, options?: WatchOptions & TimeoutOptions): Promise<Watch<Event>>;
  watchKind(kind: Kind, options?: WatchKindOptions & TimeoutOptions): Promise<Watch<Event>>;
  watchKindAggregated(kind: Kind, options?: WatchKindOptions & TimeoutOptions): Promise<Watch<readonly Event[]>>;
  teardown(pointer: Pointer, options?: TeardownOptions & TimeoutOptions): Promise<boolean>;
  teardownAndDestroy(pointer: Pointer, options?: TeardownAndDestroyOptions & TimeoutOptions): Promise<void>;
}

/** Which of the calls that old peers lack this one was seen to lack. */
interface Missing {
  teardown: boolean;
  teardownAndDestroy: boolean;
}

/**
 * The remote operations with what a peer may lack composed of the others.
 *
 * @param disconnect ends the connections; called once, when no call is left
 * @param tokens what calls prove with who makes them; closed with the state
 */
export function remoteState(
  channel: StateChannel,
  options: ResolvedRemoteStateOptions & Pick<RemoteCoreOptions, 'sameBytes'>,
  disconnect: () => void,
  tokens?: Tokens,
): RemoteState {
  return new Remote(channel, options, disconnect, tokens);
}

class Remote implements RemoteState {
  readonly #core: RemoteCore;
  readonly #calls: Calls;
  readonly #clock: Clock;
  /** The operations without the native teardown, on which it can be composed. */
  readonly #composed: State;
  readonly #missing: Missing = { teardown: false, teardownAndDestroy: false };
  readonly #disconnect: () => void;
  #closing: Promise<void> | undefined;

  constructor(
    channel: StateChannel,
    options: RemoteCoreOptions & ResolvedRemoteStateOptions,
    disconnect: () => void,
    tokens: Tokens | undefined,
  ) {
    const { timeoutMs, clock } = options;
    this.#clock = clock;
    this.#calls = new Calls({ tokens, timeoutMs, clock, readiness: new Readiness(options) });
    const core = new RemoteCore(channel, this.#calls, options);
    this.#core = core;
    this.#composed = wrapState(withoutTeardown(core));
    this.#disconnect = disconnect;
  }

  get(pointer: Pointer, options?: GetOptions & TimeoutOptions): Promise<Resource> {
    return this.#core.get(pointer, options);
  }

  list(kind: Kind, options?: ListOptions & TimeoutOptions): Promise<readonly Resource[]> {
    return this.#core.list(kind, options);
  }

  create(resource: Resource, options?: CreateOptions & TimeoutOptions): Promise<Resource> {
    return this.#core.create(resource, options);
  }

  update(resource: Resource, options?: UpdateOptions & TimeoutOptions): Promise<Resource> {
    return this.#core.update(resource, options);
  }

  destroy(pointer: Pointer, options?: DestroyOptions & TimeoutOptions): Promise<void> {
    return this.#core.destroy(pointer, options);
  }

  watch(pointer: Pointer, options?: WatchOptions & TimeoutOptions): Promise<Watch<Event>> {
    return this.#core.watch(pointer, options);
  }

  watchKind(kind: Kind, options?: WatchKindOptions & TimeoutOptions): Promise<Watch<Event>> {
    return this.#core.watchKind(kind, options);
  }

  watchKindAggregated(kind: Kind, options?: WatchKindOptions & TimeoutOptions): Promise<Watch<readonly Event[]>> {
    return this.#core.watchKindAggregated(kind, options);
  }

  async teardown(pointer: Pointer, options: TeardownOptions & TimeoutOptions = {}): Promise<boolean> {
    const [at, given] = [givenPointer(pointer), givenOptions(options)];
    return this.#native(
      'teardown',
      () => this.#core.teardown(at, given),
      () => this.#timed(at, given, (limited) => this.#composed.teardown(at, limited)),
    );
  }

  async teardownAndDestroy(pointer: Pointer, options: TeardownAndDestroyOptions & TimeoutOptions = {}): Promise<void> {
    const [at, given] = [givenPointer(pointer), givenOptions(options)];
    await this.#native(
      'teardownAndDestroy',
      async () => {
        await this.#core.teardownAndDestroy(at, given);
        await given.beforeDestroy?.();
      },
      () => this.#timed(at, given, (limited) => this.#composed.teardownAndDestroy(at, limited)),
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

  /** Bounds what is made of several calls as if it were one. */
  async #timed<O extends CallOptions & TimeoutOptions, T>(
    pointer: Pointer,
    options: O,
    run: (limited: Omit<O, 'timeoutMs'>) => Promise<T>,
  ): Promise<T> {
    const { timeoutMs, ...others } = options;
    if (timeoutMs === undefined) return run(others);
    const deadline = new Deadline(timeoutMs, this.#clock, pointer);
    const linked = linkSignals(others.signal, deadline.signal);
    try {
      return await run({ ...others, signal: linked.signal });
    } finally {
      linked.unlink();
      deadline.stop();
    }
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
