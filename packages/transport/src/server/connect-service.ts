import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { wire } from '@cosi-ts/proto';
import { encodedMessage } from '../encoded-message.js';
import { messagesIn } from '../envelope.js';
import { callInfoKey } from './call-info.js';
import type { StateOperations, StreamKind, UnaryKind } from './operations.js';
import type { Service } from './service.js';

/** Binds the calls to the RPC library. */
export function stateService(operations: StateOperations, service: Service): ServiceImpl<typeof wire.State> {
  const unary =
    <I, O extends DescMessage>(kind: UnaryKind<I>, schema: O) =>
    async (request: I, context: HandlerContext): Promise<MessageShape<O>> => {
      const read = () => kind.fromMessage(request);
      const message = await service.unary({ rpc: kind.rpc, read, ...passedOn(context) });
      return decoded(schema, message, context);
    };
  const stream = <I, O extends DescMessage>(kind: StreamKind<I>, schema: O) =>
    async function* (request: I, context: HandlerContext): AsyncGenerator<MessageShape<O>, void> {
      const read = () => kind.fromMessage(request);
      for await (const envelopes of service.stream({ rpc: kind.rpc, read, ...passedOn(context) })) {
        for (const message of messagesIn(envelopes)) yield decoded(schema, message, context);
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

function passedOn(context: HandlerContext) {
  return { info: context.values.get(callInfoKey), signal: context.signal };
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
