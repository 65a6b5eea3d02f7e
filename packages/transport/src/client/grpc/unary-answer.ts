import { type ClientHttp2Stream, constants } from 'node:http2';
import { Code, ConnectError } from '@connectrpc/connect';
import { EnvelopeReader } from '../../envelope-reader.js';
import { AnswerFrame, canceled } from './answer-frame.js';

/** The one message of an answer. Rejects with a status; when the signal aborts, the call is ended. */
export function unaryAnswer(
  stream: ClientHttp2Stream,
  maxMessageBytes: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const reader = new EnvelopeReader(maxMessageBytes);
    let message: Uint8Array | undefined;
    let settled = false;
    const settle = () => {
      settled = true;
      signal?.removeEventListener('abort', onAbort);
    };
    const fail = (failure: ConnectError) => {
      if (settled) return;
      settle();
      stream.close(constants.NGHTTP2_CANCEL);
      reject(failure);
    };
    const onAbort = () => fail(canceled());
    signal?.addEventListener('abort', onAbort);
    const frame = new AnswerFrame(stream, fail);
    stream.on('data', (chunk: Uint8Array) => {
      if (settled) return;
      try {
        for (const whole of reader.add(chunk)) {
          if (message !== undefined) throw new ConnectError('there is more than one answer', Code.Unimplemented);
          message = whole;
        }
      } catch (error) {
        fail(ConnectError.from(error));
      }
    });
    stream.on('end', () => {
      if (settled) return;
      settle();
      try {
        frame.finish(reader);
        if (message === undefined) throw frame.noMessage();
        resolve(message);
      } catch (error) {
        reject(error);
      }
    });
  });
}
