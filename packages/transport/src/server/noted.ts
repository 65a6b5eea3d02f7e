import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect';
import { callInfoKey } from './call-info.js';

/** Runs a call of another service than the state's, and notes what became of it. */
export async function noted<T>(context: HandlerContext, work: () => T | Promise<T>): Promise<T> {
  const { record } = context.values.get(callInfoKey);
  try {
    const response = await work();
    record.messages = 1;
    record.ok();
    return response;
  } catch (error) {
    record.failed(ConnectError.from(error).code);
    throw error;
  }
}

/** The same for one that answers with a stream. */
export async function* notedStream<T>(context: HandlerContext, messages: AsyncIterable<T>): AsyncGenerator<T, void> {
  const { record } = context.values.get(callInfoKey);
  try {
    for await (const message of messages) {
      record.messages++;
      yield message;
    }
    record.ok();
  } catch (error) {
    record.failed(ConnectError.from(error).code);
    throw error;
  } finally {
    record.failed(Code.Canceled);
  }
}
