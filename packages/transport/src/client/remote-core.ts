import { create } from '@bufbuild/protobuf';
import { type Client, createClient, type Transport } from '@connectrpc/connect';
import { fromWireResource, type TypeLookup, toWireResource, wire } from '@cosi-ts/proto';
import {
  ClosedError,
  CorruptError,
  type Kind,
  type Pointer,
  type Resource,
  ResourceExhaustedError,
  type Subject,
} from '@cosi-ts/resource';
import {
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
import { resourceSizeBound, sizeNear } from '../wire-size.js';
import type { CallLimits, Calls } from './calls.js';
import { Deadline } from './deadline.js';
import {
  askedStart,
  kindTarget,
  pointerTarget,
  type WatchTarget,
  watchRequest,
  wireKind,
  wireOwner,
  wirePointer,
  wireQuery,
} from './requests.js';
import { BootstrapComparison } from './resume/bootstrap-comparison.js';
import { EventArrays } from './resume/event-arrays.js';
import { KindProgress } from './resume/kind-progress.js';
import { PointerProgress } from './resume/pointer-progress.js';
import type { Progress } from './resume/progress.js';
import { type ResumeOptions, ResumingWatch } from './resume/resuming-watch.js';
import { type Shape, singly } from './resume/shape.js';
import type { Start } from './resume/start.js';
import { WatchStream } from './watch-stream.js';

/** What calls of a remote state take beside what calls of every state take. */
export interface TimeoutOptions {
  /**
   * How long the call may take, from here on and on the server; of a watch, how long all of it may last. It rejects with
   * a `DeadlineExceededError` then, or a watch ends with one. Default: the client's, which is not for watches that are
   * established and for teardownAndDestroy.
   */
  readonly timeoutMs?: number | undefined;
}

export interface RemoteCoreOptions extends ResumeOptions {
  /** The declarations by which specs are printed that no declaration of their own came with. */
  readonly types: TypeLookup | undefined;
  readonly maxMessageBytes: number;
}

/** What a request adds to the resource in it, the longest owner apart. */
const requestBytes = 64;

/** The core operations over a transport of the RPC library, whichever that is. */
export class RemoteCore implements CoreState {
  readonly #client: Client<typeof wire.State>;
  readonly #calls: Calls;
  readonly #options: RemoteCoreOptions;
  readonly #watches = new Set<Watch<unknown>>();

  constructor(transport: Transport, calls: Calls, options: RemoteCoreOptions) {
    this.#client = createClient(wire.State, transport);
    this.#calls = calls;
    this.#options = options;
  }

  async get(pointer: Pointer, options: GetOptions & TimeoutOptions = {}): Promise<Resource> {
    const request = create(wire.GetRequestSchema, { ...wirePointer(pointer), options: {} });
    return this.#calls.run('get', pointer, options, async (init) =>
      received((await this.#client.get(request, init)).resource, pointer),
    );
  }

  async list(kind: Kind, options: ListOptions & TimeoutOptions = {}): Promise<readonly Resource[]> {
    const request = create(wire.ListRequestSchema, { ...wireKind(kind), options: wireQuery(options) });
    return this.#calls.run('list', kind, options, async (init) => {
      const resources: Resource[] = [];
      for await (const { resource } of this.#client.list(request, init)) resources.push(received(resource, kind));
      return Object.freeze(resources);
    });
  }

  async create(resource: Resource, options: CreateOptions & TimeoutOptions = {}): Promise<Resource> {
    const { metadata } = resource;
    const owner = wireOwner(options.owner ?? '', metadata);
    const request = create(wire.CreateRequestSchema, { resource: this.#sent(resource), options: { owner } });
    return this.#calls.run('create', metadata, options, async (init) =>
      received((await this.#client.create(request, init)).resource, metadata),
    );
  }

  async update(resource: Resource, options: UpdateOptions & TimeoutOptions = {}): Promise<Resource> {
    const { metadata } = resource;
    const { owner = '', expectedPhase = 'running' } = options;
    const phase = expectedPhase === 'any' ? {} : { expectedPhase };
    const request = create(wire.UpdateRequestSchema, {
      newResource: this.#sent(resource),
      options: { owner: wireOwner(owner, metadata), ...phase },
    });
    return this.#calls.run('update', metadata, options, async (init) =>
      received((await this.#client.update(request, init)).resource, metadata),
    );
  }

  async destroy(pointer: Pointer, options: DestroyOptions & TimeoutOptions = {}): Promise<void> {
    const owner = wireOwner(options.owner ?? '', pointer);
    const request = create(wire.DestroyRequestSchema, { ...wirePointer(pointer), options: { owner } });
    await this.#calls.run('destroy', pointer, options, (init) => this.#client.destroy(request, init));
  }

  /** Asks the peer itself. Rejects with `unsupported` when it has no such call. */
  async teardown(pointer: Pointer, options: DestroyOptions & TimeoutOptions = {}): Promise<boolean> {
    const owner = wireOwner(options.owner ?? '', pointer);
    const request = create(wire.TeardownRequestSchema, { ...wirePointer(pointer), options: { owner } });
    return this.#calls.run(
      'teardown',
      pointer,
      options,
      async (init) => (await this.#client.teardown(request, init)).destroyReady,
    );
  }

  /** Asks the peer itself. Rejects with `unsupported` when it has no such call. */
  async teardownAndDestroy(pointer: Pointer, options: DestroyOptions & TimeoutOptions = {}): Promise<void> {
    const owner = wireOwner(options.owner ?? '', pointer);
    const request = create(wire.TeardownAndDestroyRequestSchema, { ...wirePointer(pointer), options: { owner } });
    await this.#calls.run('teardownAndDestroy', pointer, options, (init) =>
      this.#client.teardownAndDestroy(request, init),
    );
  }

  async watch(pointer: Pointer, options: WatchOptions & TimeoutOptions = {}): Promise<Watch<Event>> {
    const target = pointerTarget(pointer);
    const { bookmark, tailEvents } = askedStart(options);
    const start = { bookmark, tailEvents, bootstrap: false, noop: false };
    return this.#watch(target, start, false, new PointerProgress(start), options);
  }

  async watchKind(kind: Kind, options: WatchKindOptions & TimeoutOptions = {}): Promise<Watch<Event>> {
    const asked = askedStart(options);
    const shape = asked.bootstrap && this.#options.resume ? new BootstrapComparison() : singly;
    return this.#watchKind(kind, asked, false, shape, options);
  }

  async watchKindAggregated(
    kind: Kind,
    options: WatchKindOptions & TimeoutOptions = {},
  ): Promise<Watch<readonly Event[]>> {
    const asked = askedStart(options);
    return this.#watchKind(kind, asked, true, new EventArrays(asked.bootstrap), options);
  }

  #watchKind<T>(
    kind: Kind,
    asked: Start,
    aggregated: boolean,
    shape: Shape<T>,
    options: WatchKindOptions & TimeoutOptions,
  ): Promise<Watch<T>> {
    // The noop brings a bookmark to resume from before anything happens.
    const start = { ...asked, noop: asked.noop || this.#options.resume };
    return this.#watch(kindTarget(kind, options), start, aggregated, new KindProgress(asked, shape), options);
  }

  async #watch<T>(
    target: WatchTarget,
    start: Start,
    aggregated: boolean,
    progress: Progress<T>,
    { signal, timeoutMs }: CallLimits,
  ): Promise<Watch<T>> {
    const subject = subjectOf(target);
    const lifetime = timeoutMs === undefined ? undefined : new Deadline(timeoutMs, this.#options.clock, subject);
    const establish = (start: Start, aggregated: boolean, signal: AbortSignal | undefined) =>
      this.#calls.establish(subject, signal, lifetime, ({ signal, headers }) => {
        const request = watchRequest(target, start, aggregated);
        return WatchStream.establish((signal) => this.#client.watch(request, { signal, headers }), subject, signal);
      });
    try {
      const stream = await establish(start, aggregated, signal);
      if (signal?.aborted === true || this.#calls.closed) {
        stream.close();
        signal?.throwIfAborted();
        throw new ClosedError('the remote state is closed', { subject });
      }
      const first = { stream, atBookmark: start.bookmark !== undefined, aggregated };
      const source = new ResumingWatch(first, progress, subject, establish, lifetime?.signal, this.#options, () => {
        lifetime?.stop();
        this.#watches.delete(watch);
      });
      const watch: Watch<T> = createWatch(source, signal);
      this.#watches.add(watch);
      return watch;
    } catch (error) {
      lifetime?.stop();
      throw error;
    }
  }

  /** Ends all watches. */
  async closeWatches(): Promise<void> {
    await Promise.all([...this.#watches].map((watch) => watch.close()));
  }

  /** Throws `resource-exhausted` when the resource is larger than a message may be. */
  #sent(resource: Resource): wire.Resource {
    const message = toWireResource(resource, { types: this.#options.types });
    const { maxMessageBytes } = this.#options;
    const limit = maxMessageBytes - requestBytes;
    const bytes = sizeNear(limit, resourceSizeBound(message), wire.ResourceSchema, message);
    if (bytes <= limit) return message;
    const { metadata } = resource;
    throw new ResourceExhaustedError(
      `resource ${metadata} makes a message of ${bytes} bytes, more than the limit of ${maxMessageBytes}`,
      { subject: metadata },
    );
  }
}

function subjectOf({ namespace, type, id }: WatchTarget): Subject {
  return id === undefined ? { namespace, type } : { namespace, type, id };
}

function received(message: wire.Resource | undefined, subject: Kind): Resource {
  if (message === undefined) throw new CorruptError('the answer has no resource', { subject });
  return fromWireResource(message);
}
