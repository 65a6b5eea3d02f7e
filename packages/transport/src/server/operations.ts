import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import { decodeCreateRequest, decodeGetRequest, decodeUpdateRequest, wire } from '@cosi-ts/proto';
import { InvalidArgumentError, type Kind, type Pointer } from '@cosi-ts/resource';
import { messageOf } from '../causes.js';
import type { Envelopes } from '../envelope.js';
import type { Rpc } from '../rpc.js';
import type { Call } from './call.js';
import type { StateHandlers } from './handlers.js';
import { requestedResource } from './requests.js';
import type { CreateRequest, UpdateRequest } from './write-handlers.js';

/** A request that was read. */
export interface Operation<Answer> {
  /** What it is about. */
  readonly subject: Kind | Pointer;
  run(call: Call): Answer;
}

/** One call of the service: how its requests are read, in either form. Both throw errors of the state. */
export interface OperationKind<Message, Answer> {
  readonly rpc: Rpc;
  fromBytes(bytes: Uint8Array): Operation<Answer>;
  fromMessage(message: Message): Operation<Answer>;
}

/** Answered with one message, in its envelope. */
export type UnaryKind<Message> = OperationKind<Message, Promise<Uint8Array>>;

/** Answered with any number of messages. */
export type StreamKind<Message> = OperationKind<Message, AsyncIterable<Envelopes>>;

export interface StateOperations {
  readonly get: UnaryKind<wire.GetRequest>;
  readonly list: StreamKind<wire.ListRequest>;
  readonly create: UnaryKind<wire.CreateRequest>;
  readonly update: UnaryKind<wire.UpdateRequest>;
  readonly destroy: UnaryKind<wire.DestroyRequest>;
  readonly watch: StreamKind<wire.WatchRequest>;
  readonly teardown: UnaryKind<wire.TeardownRequest>;
  readonly teardownAndDestroy: UnaryKind<wire.TeardownAndDestroyRequest>;
}

export function stateOperations(handlers: StateHandlers): StateOperations {
  return {
    get: operation('get', decodeGetRequest, pointed, asItIs, handlers.get),
    list: operation('list', bytesOf(wire.ListRequestSchema), asItIs, kindOf, handlers.list),
    create: operation('create', readCreate, createOf, written, handlers.create),
    update: operation('update', readUpdate, updateOf, written, handlers.update),
    destroy: operation('destroy', bytesOf(wire.DestroyRequestSchema), asItIs, pointed, handlers.destroy),
    watch: operation('watch', bytesOf(wire.WatchRequestSchema), asItIs, watched, handlers.watch),
    teardown: operation('teardown', bytesOf(wire.TeardownRequestSchema), asItIs, pointed, handlers.teardown),
    teardownAndDestroy: operation(
      'teardownAndDestroy',
      bytesOf(wire.TeardownAndDestroyRequestSchema),
      asItIs,
      pointed,
      handlers.teardownAndDestroy,
    ),
  };
}

function operation<Message, Request, Answer>(
  rpc: Rpc,
  readBytes: (bytes: Uint8Array) => Request,
  readMessage: (message: Message) => Request,
  subjectOf: (request: Request) => Kind | Pointer,
  handle: (request: Request, call: Call) => Answer,
): OperationKind<Message, Answer> {
  const of = (request: Request): Operation<Answer> => ({
    subject: subjectOf(request),
    run: (call) => handle(request, call),
  });
  return { rpc, fromBytes: (bytes) => of(readBytes(bytes)), fromMessage: (message) => of(readMessage(message)) };
}

function bytesOf<Desc extends DescMessage>(schema: Desc): (bytes: Uint8Array) => MessageShape<Desc> {
  return (bytes) => {
    try {
      return fromBinary(schema, bytes);
    } catch (cause) {
      throw new InvalidArgumentError(`the request cannot be decoded: ${messageOf(cause)}`, { cause });
    }
  };
}

const asItIs = <T>(message: T): T => message;

function readCreate(bytes: Uint8Array): CreateRequest {
  const { resource, owner } = decodeCreateRequest(bytes);
  return { resource: requestedResource(resource), owner, bytes: bytes.length };
}

function createOf({ resource, options }: wire.CreateRequest): CreateRequest {
  return { resource: requestedResource(resource), owner: options?.owner ?? '', bytes: undefined };
}

function readUpdate(bytes: Uint8Array): UpdateRequest {
  const { resource, owner, expectedPhase } = decodeUpdateRequest(bytes);
  return { resource: requestedResource(resource), owner, bytes: bytes.length, expectedPhase };
}

function updateOf({ newResource, options }: wire.UpdateRequest): UpdateRequest {
  const { owner = '', expectedPhase } = options ?? {};
  return { resource: requestedResource(newResource), owner, bytes: undefined, expectedPhase };
}

function kindOf({ namespace, type }: Kind): Kind {
  return { namespace, type };
}

function pointed({ namespace, type, id }: Pointer): Pointer {
  return { namespace, type, id };
}

function written({ resource }: CreateRequest): Pointer {
  return pointed(resource.metadata);
}

function watched({ namespace, type, id }: wire.WatchRequest): Kind | Pointer {
  return id === undefined ? { namespace, type } : { namespace, type, id };
}
