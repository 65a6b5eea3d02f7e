import type { Runtime } from './runtime.js';

/** What is needed of a host's process: Node's `process` has it. */
export interface HostProcess {
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown;
  off(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown;
  listenerCount(event: 'uncaughtException' | 'unhandledRejection'): number;
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
export declare function installProcessHandlers(runtime: Runtime, host: HostProcess): Disposable;
