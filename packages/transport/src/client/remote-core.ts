import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import {
  decodeResource,
  decodeResourceResponse,
  encodeCreateRequest,
  encodePointerRequest,
  encodeResource,
  encodeUpdateRequest,
  type TypeLookup,
  wire,
} from '@cosi-ts/proto';
import {
  ClosedError,
  CorruptError,
  type Kind,
  type Metadata,
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
import { messageOf } from '../causes.js';
import type { CallLimits, Calls } from './calls.js';
import type { StateChannel } from './channel.js';
import { Deadline } from './deadline.js';
import { EventReader } from './event-reader.js';
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
  /** Compares bytes in much less time than it takes to decode them. Absent where nothing does. */
  readonly sameBytes?: (a: Uint8Array, b: Uint8Array) => boolean;
}

/** The core operations over whatever carries calls. */
export class RemoteCore implements CoreState {
  readonly #channel: StateChannel;
  readonly #events: EventReader;
  readonly #calls: Calls;
  readonly #options: RemoteCoreOptions;
  readonly #watches = new Set<Watch<unknown>>();

  constructor(channel: StateChannel, calls: Calls, options: RemoteCoreOptions) {
    this.#channel = channel;
    this.#events = new EventReader(options.sameBytes);
    this.#calls = calls;
    this.#options = options;
  }

  async get(pointer: Pointer, options: GetOptions & TimeoutOptions = {}): Promise<Resource> {
    const request = encodePointerRequest(wirePointer(pointer));
    return this.#calls.run('get', pointer, options, async (init) =>
      answered(await this.#channel.unary('get', request, init), pointer),
    );
  }

  async list(kind: Kind, options: ListOptions & TimeoutOptions = {}): Promise<readonly Resource[]> {
    const request = encode(wire.ListRequestSchema, { ...wireKind(kind), options: wireQuery(options) });
    return this.#calls.run('list', kind, options, async (init) => {
      const resources: Resource[] = [];
      for await (const messages of this.#channel.stream('list', request, init)) {
        for (const message of messages) resources.push(answered(message, kind));
      }
      return Object.freeze(resources);
    });
  }

  async create(resource: Resource, options: CreateOptions & TimeoutOptions = {}): Promise<Resource> {
    const { metadata } = resource;
    const owner = wireOwner(options.owner ?? '', metadata);
    const request = this.#checked(encodeCreateRequest({ resource: this.#encoded(resource), owner }), metadata);
    return this.#calls.run('create', metadata, options, async (init) =>
      answered(await this.#channel.unary('create', request, init), metadata),
    );
  }

  async update(resource: Resource, options: UpdateOptions & TimeoutOptions = {}): Promise<Resource> {
    const { metadata } = resource;
    const owner = wireOwner(options.owner ?? '', metadata);
    const { expectedPhase: phase = 'running' } = options;
    const expectedPhase = phase === 'any' ? undefined : phase;
    const encoded = encodeUpdateRequest({ resource: this.#encoded(resource), owner, expectedPhase });
    const request = this.#checked(encoded, metadata);
    return this.#calls.run('update', metadata, options, async (init) =>
      answered(await this.#channel.unary('update', request, init), metadata),
    );
  }

  async destroy(pointer: Pointer, options: DestroyOptions & TimeoutOptions = {}): Promise<void> {
    const owner = wireOwner(options.owner ?? '', pointer);
    const request = encodePointerRequest(wirePointer(pointer), owner);
    await this.#calls.run('destroy', pointer, options, (init) => this.#channel.unary('destroy', request, init));
  }

  /** Asks the peer itself. Rejects with `unsupported` when it has no such call. */
  async teardown(pointer: Pointer, options: DestroyOptions & TimeoutOptions = {}): Promise<boolean> {
    const owner = wireOwner(options.owner ?? '', pointer);
    const request = encodePointerRequest(wirePointer(pointer), owner);
    return this.#calls.run('teardown', pointer, options, async (init) => {
      const answer = await this.#channel.unary('teardown', request, init);
      return decode(wire.TeardownResponseSchema, answer, pointer).destroyReady;
    });
  }

  /** Asks the peer itself. Rejects with `unsupported` when it has no such call. */
  async teardownAndDestroy(pointer: Pointer, options: DestroyOptions & TimeoutOptions = {}): Promise<void> {
    const owner = wireOwner(options.owner ?? '', pointer);
    const request = encodePointerRequest(wirePointer(pointer), owner);
    await this.#calls.run('teardownAndDestroy', pointer, options, (init) =>
      this.#channel.unary('teardownAndDestroy', request, init),
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
    const reading = this.#events.watch(subject);
    const end = () => {
      lifetime?.stop();
      reading.end();
    };
    const establish = (start: Start, aggregated: boolean, signal: AbortSignal | undefined, isFirst = false) =>
      this.#calls.establish(subject, { signal, lifetime, isFirst }, ({ signal, headers }) => {
        const request = toBinary(wire.WatchRequestSchema, watchRequest(target, start, aggregated));
        const call = (signal: AbortSignal) => this.#channel.stream('watch', request, { signal, headers });
        return WatchStream.establish(call, reading.read, subject, signal);
      });
    try {
      const stream = await establish(start, aggregated, signal, true);
      if (signal?.aborted === true || this.#calls.closed) {
        stream.close();
        signal?.throwIfAborted();
        throw new ClosedError('the remote state is closed', { subject });
      }
      const first = { stream, atBookmark: start.bookmark !== undefined, aggregated };
      const source = new ResumingWatch(
        first,
        progress,
        subject,
        (...asked) => establish(...asked),
        lifetime?.signal,
        this.#options,
        () => {
          end();
          this.#watches.delete(watch);
        },
      );
      const watch: Watch<T> = createWatch(source, signal);
      this.#watches.add(watch);
      return watch;
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Ends all watches. */
  async closeWatches(): Promise<void> {
    await Promise.all([...this.#watches].map((watch) => watch.close()));
  }

  /** Not kept: what is sent is mostly not sent again. */
  #encoded(resource: Resource): Uint8Array {
    return encodeResource(resource, { types: this.#options.types, keep: false });
  }

  /** Throws `resource-exhausted` when the request is larger than a message may be. */
  #checked(request: Uint8Array, metadata: Metadata): Uint8Array {
    const { maxMessageBytes } = this.#options;
    if (request.length <= maxMessageBytes) return request;
    throw new ResourceExhaustedError(
      `resource ${metadata} makes a message of ${request.length} bytes, more than the limit of ${maxMessageBytes}`,
      { subject: metadata },
    );
  }
}

function subjectOf({ namespace, type, id }: WatchTarget): Subject {
  return id === undefined ? { namespace, type } : { namespace, type, id };
}

function encode<Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): Uint8Array {
  return toBinary(schema, create(schema, init));
}

function decode<Desc extends DescMessage>(schema: Desc, answer: Uint8Array, subject: Subject): MessageShape<Desc> {
  try {
    return fromBinary(schema, answer);
  } catch (cause) {
    throw new CorruptError(`the answer cannot be decoded: ${messageOf(cause)}`, { cause, subject });
  }
}

function answered(message: Uint8Array, subject: Kind): Resource {
  const resource = decodeResourceResponse(message);
  if (resource === undefined) throw new CorruptError('the answer has no resource', { subject });
  return decodeResource(resource);
}
