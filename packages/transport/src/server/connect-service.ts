import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { wire } from '@cosi-ts/proto';
import { linkSignals } from '../linked-signal.js';
import type { Rpc } from '../rpc.js';
import type { Call } from './call.js';
import { callInfoKey } from './call-info.js';
import type { StateHandlers } from './handlers.js';
import type { Shutdown } from './shutdown.js';
import { statusOf } from './status.js';

/** Calls that wait for events and so would hold up a shutdown. */
const waiting: ReadonlySet<Rpc> = new Set<Rpc>(['watch', 'teardownAndDestroy']);

/** Binds the handlers to the RPC library: signals, what is known of the call, and errors as statuses. */
export function stateService(handlers: StateHandlers, shutdown: Shutdown): ServiceImpl<typeof wire.State> {
  const unary =
    <I, O>(rpc: Rpc, handle: (request: I, call: Call) => Promise<O>) =>
    async (request: I, context: HandlerContext): Promise<O> => {
      const { call, end } = begin(rpc, context, shutdown);
      try {
        call.signal.throwIfAborted();
        return await handle(request, call);
      } catch (error) {
        throw statusOf(error, rpc);
      } finally {
        end();
      }
    };
  const stream = <I, O>(rpc: Rpc, handle: (request: I, call: Call) => AsyncIterable<O>) =>
    async function* (request: I, context: HandlerContext): AsyncGenerator<O, void> {
      const { call, end } = begin(rpc, context, shutdown);
      try {
        call.signal.throwIfAborted();
        yield* handle(request, call);
      } catch (error) {
        throw statusOf(error, rpc);
      } finally {
        end();
      }
    };
  return {
    get: unary('get', handlers.get),
    list: stream('list', handlers.list),
    create: unary('create', handlers.create),
    update: unary('update', handlers.update),
    destroy: unary('destroy', handlers.destroy),
    watch: stream('watch', handlers.watch),
    teardown: unary('teardown', handlers.teardown),
    teardownAndDestroy: unary('teardownAndDestroy', handlers.teardownAndDestroy),
  };
}

function begin(rpc: Rpc, context: HandlerContext, shutdown: Shutdown): { call: Call; end: () => void } {
  const stop = shutdown.closing.stopped || waiting.has(rpc) ? shutdown.closing : shutdown.aborting;
  const linked = linkSignals(context.signal, stop);
  return { call: { signal: linked.signal, ...context.values.get(callInfoKey) }, end: linked.unlink };
}
