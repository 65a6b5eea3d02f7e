import type { Runtime } from './runtime.js';

type HostEvent = 'uncaughtException' | 'unhandledRejection';

/** What is needed of a host's process: Node's `process` has it. */
export interface HostProcess {
  on(event: HostEvent, listener: (error: unknown) => void): unknown;
  off(event: HostEvent, listener: (error: unknown) => void): unknown;
  listenerCount(event: HostEvent): number;
}

/** Who is asked about an error: one listener asks them all, for an error of one runtime is foreign to the others. */
type Reporters = Set<(error: unknown) => boolean>;
const installed = new WeakMap<HostProcess, { readonly reporters: Reporters; readonly remove: () => void }>();

/**
 * Catches what controllers of the runtime let escape through timers, promises that nobody awaits, and event handlers
 * that these run: it is logged and counted with the controller it came from, and the process lives on. Errors from
 * elsewhere end the process as they do without handlers, unless there are other handlers to take them.
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
  const { reporters, remove } = installed.get(host) ?? install(host);
  reporters.add(report);
  return {
    [Symbol.dispose]: () => {
      if (reporters.delete(report) && reporters.size === 0) remove();
    },
  };
}

function install(host: HostProcess) {
  const reporters: Reporters = new Set();
  const listener = (event: HostEvent) => (error: unknown) => {
    for (const report of reporters) if (report(error)) return;
    // Thrown from here, an error ends the process, as it would have without this handler.
    if (host.listenerCount(event) === 1) throw error;
  };
  const listeners = (['uncaughtException', 'unhandledRejection'] as const).map(
    (event) => [event, listener(event)] as const,
  );
  for (const [event, listen] of listeners) host.on(event, listen);
  const remove = () => {
    for (const [event, listen] of listeners) host.off(event, listen);
    installed.delete(host);
  };
  const made = { reporters, remove };
  installed.set(host, made);
  return made;
}
