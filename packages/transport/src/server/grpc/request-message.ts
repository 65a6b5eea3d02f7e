import type { ServerHttp2Stream } from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import { EnvelopeReader } from '../../envelope-reader.js';

/**
 * The one message of a request. Rejects with a status for none, for a second one, for half of one and for one that is too
 * large, which is known before it has come; and with the signal's reason. What comes after that is left in the stream.
 */
export function requestMessage(
  stream: ServerHttp2Stream,
  maxMessageBytes: number,
  onBytes: (count: number) => void,
  signal: AbortSignal,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const reader = new EnvelopeReader(maxMessageBytes);
    let message: Uint8Array | undefined;
    const settle = (done: () => void) => {
      stream.off('data', onData);
      stream.off('end', onEnd);
      signal.removeEventListener('abort', onAbort);
      done();
    };
    const refuse = (error: unknown) => settle(() => reject(error));
    const onAbort = () => refuse(signal.reason);
    const onData = (chunk: Uint8Array) => {
      onBytes(chunk.length);
      try {
        for (const whole of reader.add(chunk)) {
          if (message !== undefined)
            throw new ConnectError('the request has more than one message', Code.Unimplemented);
          message = whole;
        }
      } catch (error) {
        refuse(error);
      }
    };
    const onEnd = () => {
      if (reader.isWithinMessage) refuse(new ConnectError('the message is not complete', Code.InvalidArgument));
      else if (message === undefined) refuse(new ConnectError('the request has no message', Code.Unimplemented));
      else settle(() => resolve(message as Uint8Array));
    };
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    stream.on('data', onData);
    stream.on('end', onEnd);
  });
}
