import {
  type DescMessage,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  fromBinary,
  type Message,
  toBinary,
} from '@bufbuild/protobuf';
import type { Transport } from '@connectrpc/connect';
import { wire } from '@cosi-ts/proto';
import { encodedMessage } from '../encoded-message.js';
import type { StateChannel } from './channel.js';

/** How a transport is handed messages. */
interface Form {
  readonly unary: (method: DescMethodUnary) => DescMethodUnary;
  readonly stream: (method: DescMethodServerStreaming) => DescMethodServerStreaming;
  readonly encoded: (schema: DescMessage, bytes: Uint8Array) => Message;
}

/** Whatever the transport makes of messages: it may send JSON. */
const decodedForm: Form = { unary: (method) => method, stream: (method) => method, encoded: fromBinary };

/** A message without fields: all that is in its bytes is kept as it is. */
const opaque = wire.DestroyResponseSchema;

/** Transports that send protobuf are told that there is nothing to encode and decode. */
const encodedForm: Form = {
  unary: (method) => ({ ...method, input: opaque, output: opaque }),
  stream: (method) => ({ ...method, input: opaque, output: opaque }),
  encoded: (_schema, bytes) => encodedMessage(opaque, bytes),
};

/**
 * Calls over a transport of the RPC library.
 *
 * @param isBinary whether the transport sends messages as protobuf; that takes less time
 */
export function connectChannel(transport: Transport, isBinary = false): StateChannel {
  const form = isBinary ? encodedForm : decodedForm;
  return {
    async unary(rpc, request, { signal, headers }) {
      const method = form.unary(wire.State.method[rpc] as DescMethodUnary);
      const message = form.encoded(method.input, request);
      const answer = await transport.unary(method, signal, undefined, headers, message);
      return toBinary(method.output, answer.message);
    },
    async *stream(rpc, request, { signal, headers }) {
      const method = form.stream(wire.State.method[rpc] as DescMethodServerStreaming);
      const messages = (async function* () {
        yield form.encoded(method.input, request);
      })();
      const answer = await transport.stream(method, signal, undefined, headers, messages);
      for await (const message of answer.message) yield [toBinary(method.output, message)];
    },
  };
}
