import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { wire } from '@cosi-ts/proto';
import { encodedMessage } from '../encoded-message.js';
import { messageIn, messagesIn } from '../envelope.js';
import { type LinkedSignal, linkSignals } from '../linked-signal.js';
import { callInfoKey } from './call-info.js';
import type { OperationKind, StateOperations, StreamKind, UnaryKind } from './operations.js';
import type { IncomingCall, Service } from './service.js';

/** Binds the calls to the RPC library. */
export function stateService(operations: StateOperations, service: Service): ServiceImpl<typeof wire.State> {
  const unary =
    <I, O extends DescMessage>(kind: UnaryKind<I>, schema: O) =>
    async (request: I, context: HandlerContext): Promise<MessageShape<O>> => {
      const linked = linkSignals(context.signal);
      try {
        const envelope = await service.unary(incoming(kind, request, context, linked));
        return decoded(schema, messageIn(envelope), context);
      } finally {
        linked.unlink();
      }
    };
  const stream = <I, O extends DescMessage>(kind: StreamKind<I>, schema: O) =>
    async function* (request: I, context: HandlerContext): AsyncGenerator<MessageShape<O>, void> {
      const linked = linkSignals(context.signal);
      try {
        for await (const envelopes of service.stream(incoming(kind, request, context, linked))) {
          for (const message of messagesIn(envelopes)) yield decoded(schema, message, context);
        }
      } finally {
        linked.unlink();
      }
    };
  return {
    get: unary(operations.get, wire.GetResponseSchema),
    list: stream(operations.list, wire.ListResponseSchema),
    create: unary(operations.create, wire.CreateResponseSchema),
    update: unary(operations.update, wire.UpdateResponseSchema),
    destroy: unary(operations.destroy, wire.DestroyResponseSchema),
    watch: stream(operations.watch, wire.WatchResponseSchema),
    teardown: unary(operations.teardown, wire.TeardownResponseSchema),
    teardownAndDestroy: unary(operations.teardownAndDestroy, wire.TeardownAndDestroyResponseSchema),
  };
}

function incoming<Request, Answer>(
  kind: OperationKind<Request, Answer>,
  request: Request,
  context: HandlerContext,
  { signal, abort }: LinkedSignal,
): IncomingCall<Answer> {
  const info = context.values.get(callInfoKey);
  return { rpc: kind.rpc, read: () => kind.fromMessage(request), info, signal, abort };
}

/** What the library is to print as JSON must be decoded. What it is to encode is encoded already. */
function decoded<Desc extends DescMessage>(
  schema: Desc,
  message: Uint8Array,
  context: HandlerContext,
): MessageShape<Desc> {
  const isJson = context.requestHeader.get('content-type')?.includes('json') ?? false;
  return isJson ? fromBinary(schema, message) : encodedMessage(schema, message);
}
