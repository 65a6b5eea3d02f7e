import { Code, type HandlerContext, type ServiceImpl } from '@connectrpc/connect';
import type { wire } from '@cosi-ts/proto';
import type { Kind, Pointer } from '@cosi-ts/resource';
import { linkSignals } from '../linked-signal.js';
import type { Rpc } from '../rpc.js';
import type { Call } from './call.js';
import { callInfoKey } from './call-info.js';
import type { CallRecord } from './call-record.js';
import type { StateHandlers } from './handlers.js';
import type { Shutdown } from './shutdown.js';
import { statusOf } from './status.js';

/** Calls that wait for events and so would hold up a shutdown. */
const waiting: ReadonlySet<Rpc> = new Set<Rpc>(['watch', 'teardownAndDestroy']);

/** Binds the handlers to the RPC library: signals, what is known of the call, and errors as statuses. */
export function stateService(handlers: StateHandlers, shutdown: Shutdown): ServiceImpl<typeof wire.State> {
  const unary =
    <I, O>(rpc: Rpc, subjectOf: (request: I) => Subject, handle: (request: I, call: Call) => Promise<O>) =>
    async (request: I, context: HandlerContext): Promise<O> => {
      const { call, record, end } = begin(rpc, subjectOf(request), context, shutdown);
      try {
        call.signal.throwIfAborted();
        const response = await handle(request, call);
        record.messages = 1;
        record.ok();
        return response;
      } catch (error) {
        throw failed(record, error, rpc);
      } finally {
        end();
      }
    };
  const stream = <I, O>(
    rpc: Rpc,
    subjectOf: (request: I) => Subject,
    handle: (request: I, call: Call) => AsyncIterable<O>,
  ) =>
    async function* (request: I, context: HandlerContext): AsyncGenerator<O, void> {
      const { call, record, end } = begin(rpc, subjectOf(request), context, shutdown);
      try {
        call.signal.throwIfAborted();
        for await (const response of handle(request, call)) {
          record.messages++;
          yield response;
        }
        record.ok();
      } catch (error) {
        throw failed(record, error, rpc);
      } finally {
        // Left in the middle: nobody takes what is left.
        record.failed(Code.Canceled);
        end();
      }
    };
  return {
    get: unary('get', pointed, handlers.get),
    list: stream('list', kindOf, handlers.list),
    create: unary('create', ({ resource }) => pointed(resource?.metadata), handlers.create),
    update: unary('update', ({ newResource }) => pointed(newResource?.metadata), handlers.update),
    destroy: unary('destroy', pointed, handlers.destroy),
    watch: stream(
      'watch',
      (request) => (request.id === undefined ? kindOf(request) : pointed(request as Pointer)),
      handlers.watch,
    ),
    teardown: unary('teardown', pointed, handlers.teardown),
    teardownAndDestroy: unary('teardownAndDestroy', pointed, handlers.teardownAndDestroy),
  };
}

type Subject = Kind | Pointer | undefined;

const kindOf = ({ namespace, type }: Kind): Kind => ({ namespace, type });
const pointed = (from: Pointer | undefined): Pointer | undefined =>
  from && { namespace: from.namespace, type: from.type, id: from.id };

function begin(
  rpc: Rpc,
  subject: Subject,
  context: HandlerContext,
  shutdown: Shutdown,
): { call: Call; record: CallRecord; end: () => void } {
  const stop = shutdown.closing.stopped || waiting.has(rpc) ? shutdown.closing : shutdown.aborting;
  const linked = linkSignals(context.signal, stop);
  const { record, unsent, ...info } = context.values.get(callInfoKey);
  record.subject = subject;
  const call = { signal: linked.signal, ...info, batchBytes: () => unsent.batchBytes };
  return { call, record, end: linked.unlink };
}

function failed(record: CallRecord, error: unknown, rpc: Rpc): Error {
  const status = statusOf(error, rpc);
  record.failed(status.code);
  return status;
}
