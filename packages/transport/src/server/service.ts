import { Code } from '@connectrpc/connect';
import type { Envelopes } from '../envelope.js';
import type { Rpc } from '../rpc.js';
import type { Call } from './call.js';
import type { CallInfo } from './call-info.js';
import type { Operation } from './operations.js';
import type { Shutdown } from './shutdown.js';
import { statusOf } from './status.js';

/** Calls that wait for events and so would hold up a shutdown. */
const waiting: ReadonlySet<Rpc> = new Set<Rpc>(['watch', 'teardownAndDestroy']);

/** A call as it has come, whatever carried it. */
export interface IncomingCall<Answer> {
  readonly rpc: Rpc;
  /** Reads the request. Throws an error of the state when it is none. */
  read(): Operation<Answer>;
  readonly info: CallInfo;
  /** Aborts when the caller gives up or is gone, when the deadline passes, and when it is told to. */
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
}

/** Runs calls: with their signals, with notes of what became of them, and with errors as statuses. */
export class Service {
  readonly #shutdown: Shutdown;

  constructor(shutdown: Shutdown) {
    this.#shutdown = shutdown;
  }

  /** Resolves with the message that is the answer, in its envelope. Rejects with a status. */
  async unary(incoming: IncomingCall<Promise<Uint8Array>>): Promise<Uint8Array> {
    const { rpc, read, info } = incoming;
    const { record } = info;
    const { call, end } = this.#begin(incoming);
    try {
      call.signal.throwIfAborted();
      const operation = read();
      record.subject = operation.subject;
      const message = await operation.run(call);
      record.messages = 1;
      record.ok();
      return message;
    } catch (error) {
      throw failed(info, error, rpc);
    } finally {
      end();
    }
  }

  /** Gives the messages that are the answer. Throws a status. */
  async *stream(incoming: IncomingCall<AsyncIterable<Envelopes>>): AsyncGenerator<Envelopes, void> {
    const { rpc, read, info } = incoming;
    const { record } = info;
    const { call, end } = this.#begin(incoming);
    try {
      call.signal.throwIfAborted();
      const operation = read();
      record.subject = operation.subject;
      for await (const envelopes of operation.run(call)) {
        record.messages += envelopes.count;
        yield envelopes;
      }
      record.ok();
    } catch (error) {
      throw failed(info, error, rpc);
    } finally {
      // Left in the middle: nobody takes what is left.
      record.failed(Code.Canceled);
      end();
    }
  }

  #begin({ rpc, info, signal, abort }: IncomingCall<unknown>): { call: Call; end: () => void } {
    const { context, answered, unsent } = info;
    const { closing, aborting } = this.#shutdown;
    const stop = closing.stopped || waiting.has(rpc) ? closing : aborting;
    return { call: { signal, context, answered, batchBytes: () => unsent.batchBytes }, end: stop.follow(abort) };
  }
}

function failed({ record, context }: CallInfo, error: unknown, rpc: Rpc): Error {
  const status = statusOf(error, rpc, context);
  record.failed(status.code);
  return status;
}
