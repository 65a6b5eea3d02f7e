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
import type { Calls } from './calls.js';
import { EventArrays } from './event-arrays.js';
import { RemoteWatch } from './remote-watch.js';
import { watchKindRequest, watchRequest, wireKind, wireOwner, wirePointer, wireQuery } from './requests.js';
import { WatchStream } from './watch-stream.js';

export interface RemoteCoreOptions {
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

  async get(pointer: Pointer, options: GetOptions = {}): Promise<Resource> {
    const request = create(wire.GetRequestSchema, { ...wirePointer(pointer), options: {} });
    return this.#calls.run('get', pointer, options.signal, async (signal) =>
      received((await this.#client.get(request, { signal })).resource, pointer),
    );
  }

  async list(kind: Kind, options: ListOptions = {}): Promise<readonly Resource[]> {
    const request = create(wire.ListRequestSchema, { ...wireKind(kind), options: wireQuery(options) });
    return this.#calls.run('list', kind, options.signal, async (signal) => {
      const resources: Resource[] = [];
      for await (const { resource } of this.#client.list(request, { signal })) resources.push(received(resource, kind));
      return Object.freeze(resources);
    });
  }

  async create(resource: Resource, options: CreateOptions = {}): Promise<Resource> {
    const { metadata } = resource;
    const owner = wireOwner(options.owner ?? '', metadata);
    const request = create(wire.CreateRequestSchema, { resource: this.#sent(resource), options: { owner } });
    return this.#calls.run('create', metadata, options.signal, async (signal) =>
      received((await this.#client.create(request, { signal })).resource, metadata),
    );
  }

  async update(resource: Resource, options: UpdateOptions = {}): Promise<Resource> {
    const { metadata } = resource;
    const { owner = '', expectedPhase = 'running' } = options;
    const phase = expectedPhase === 'any' ? {} : { expectedPhase };
    const request = create(wire.UpdateRequestSchema, {
      newResource: this.#sent(resource),
      options: { owner: wireOwner(owner, metadata), ...phase },
    });
    return this.#calls.run('update', metadata, options.signal, async (signal) =>
      received((await this.#client.update(request, { signal })).resource, metadata),
    );
  }

  async destroy(pointer: Pointer, options: DestroyOptions = {}): Promise<void> {
    const owner = wireOwner(options.owner ?? '', pointer);
    const request = create(wire.DestroyRequestSchema, { ...wirePointer(pointer), options: { owner } });
    await this.#calls.run('destroy', pointer, options.signal, (signal) => this.#client.destroy(request, { signal }));
  }

  /** Asks the peer itself. Rejects with `unsupported` when it has no such call. */
  async teardown(pointer: Pointer, options: DestroyOptions = {}): Promise<boolean> {
    const owner = wireOwner(options.owner ?? '', pointer);
    const request = create(wire.TeardownRequestSchema, { ...wirePointer(pointer), options: { owner } });
    return this.#calls.run(
      'teardown',
      pointer,
      options.signal,
      async (signal) => (await this.#client.teardown(request, { signal })).destroyReady,
    );
  }

  /** Asks the peer itself. Rejects with `unsupported` when it has no such call. */
  async teardownAndDestroy(pointer: Pointer, options: DestroyOptions = {}): Promise<void> {
    const owner = wireOwner(options.owner ?? '', pointer);
    const request = create(wire.TeardownAndDestroyRequestSchema, { ...wirePointer(pointer), options: { owner } });
    await this.#calls.run('teardownAndDestroy', pointer, options.signal, (signal) =>
      this.#client.teardownAndDestroy(request, { signal }),
    );
  }

  async watch(pointer: Pointer, options: WatchOptions = {}): Promise<Watch<Event>> {
    return this.#watch(pointer, watchRequest(pointer, options), options.signal, (events) => events);
  }

  async watchKind(kind: Kind, options: WatchKindOptions = {}): Promise<Watch<Event>> {
    return this.#watch(kind, watchKindRequest(kind, options, false), options.signal, (events) => events);
  }

  async watchKindAggregated(kind: Kind, options: WatchKindOptions = {}): Promise<Watch<readonly Event[]>> {
    const arrays = new EventArrays(options.bootstrapContents ?? false);
    return this.#watch<readonly Event[]>(kind, watchKindRequest(kind, options, true), options.signal, (events) =>
      arrays.add(events),
    );
  }

  async #watch<T>(
    subject: Kind,
    request: wire.WatchRequest,
    signal: AbortSignal | undefined,
    shape: (events: readonly Event[]) => Iterable<T>,
  ): Promise<Watch<T>> {
    const open = (signal: AbortSignal) => this.#client.watch(request, { signal });
    const stream = await this.#calls.run('watch', subject, signal, (signal) =>
      WatchStream.establish(open, subject, signal),
    );
    if (signal?.aborted === true || this.#calls.closed) {
      stream.close();
      signal?.throwIfAborted();
      throw new ClosedError('the remote state is closed', { subject });
    }
    const source = new RemoteWatch(stream, shape, () => this.#watches.delete(watch));
    const watch: Watch<T> = createWatch(source, signal);
    this.#watches.add(watch);
    return watch;
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

function received(message: wire.Resource | undefined, subject: Kind): Resource {
  if (message === undefined) throw new CorruptError('the answer has no resource', { subject });
  return fromWireResource(message);
}
