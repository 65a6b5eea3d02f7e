import type { Runtime } from './runtime.js';

type HostEvent = 'uncaughtException' | 'unhandledRejection';

/** What is needed of a host's process: Node's `process` has it. */
export interface HostProcess {
  on(event: HostEvent, listener: (error: unknown) => void): unknown;
  off(event: HostEvent, listener: (error: unknown) => void): unknown;
  listenerCount(event: HostEvent): number;
}

/**
 * Catches what controllers of the runtime let escape through timers, event handlers and promises that nobody awaits: it
 * is logged and counted with the controller it came from, and the process lives on. Errors from elsewhere end the process
 * as they do without handlers, unless there are other handlers to take them.
 *
 * Call it before the runtime runs. Needs a host with `AsyncLocalStorage`; throws `unsupported` where there is none.
 *
 * @returns uninstalls the handlers when disposed of
 *
 * @example
 * using handlers = installProcessHandlers(runtime, process);
 */
export function installProcessHandlers(runtime: Runtime, host: HostProcess): Disposable {
  const report = runtime.attributeErrors();
  const listener = (event: HostEvent) => (error: unknown) => {
    // Thrown from here, an error ends the process, as it would have without this handler.
    if (!report(error) && host.listenerCount(event) === 1) throw error;
  };
  const onException = listener('uncaughtException');
  const onRejection = listener('unhandledRejection');
  host.on('uncaughtException', onException);
  host.on('unhandledRejection', onRejection);
  return {
    [Symbol.dispose]: () => {
      host.off('uncaughtException', onException);
      host.off('unhandledRejection', onRejection);
    },
  };
}
