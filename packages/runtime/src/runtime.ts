import type { Pointer } from '@cosi-ts/resource';
import type { CoreState } from '@cosi-ts/state';
import type { QueueInput } from './inputs.js';
import type { QueueController } from './queue-controller.js';
import type { ControllerReport, RuntimeReport } from './report.js';
import type { RuntimeOptions } from './runtime-options.js';

/** A controller as registered with a runtime. */
export interface ControllerHandle<P extends Pointer = Pointer> {
  readonly name: string;
  /** See {@link Runtime.queue}. */
  queue(pointer: Pointer): boolean;
  /**
   * Sets other inputs. Once the call has resolved, no change of a new one is missed. Rejects with a `TypeError` when
   * the inputs cannot be so.
   */
  replaceInputs(inputs: readonly QueueInput<P>[]): Promise<void>;
  report(): ControllerReport;
}

/**
 * Runs controllers on a state.
 *
 * @example
 * const runtime = new Runtime(state, { logger });
 * runtime.register(new VMController(hypervisor));
 * await runtime.run({ signal });
 */
export declare class Runtime implements AsyncDisposable {
  constructor(state: CoreState, options?: RuntimeOptions);

  /**
   * Adds a controller; while the runtime runs it starts at once. Throws `runtime/registration` when its name is taken,
   * its outputs clash with those of another one, or its inputs or settings cannot be so.
   */
  register<P extends Pointer>(controller: QueueController<P>): ControllerHandle<P>;

  /**
   * Runs all controllers until the signal aborts; then ends their work, waits for it, and runs the shutdown hooks.
   * Resolves when nothing is left behind. Rejects only when called a second time.
   */
  run(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;

  /**
   * Has a controller reconcile an item because something happened outside of the state: a timer, a request, an event of
   * a hypervisor. Can be called from anywhere, also before the runtime runs; any number of calls before the item is
   * begun become one. The item need not exist in the state.
   *
   * @returns false when the controller has ended
   * @throws `runtime/undeclared` when the pointer is of no primary input, `runtime/unknown-controller` for the name
   */
  queue(controller: string, pointer: Pointer): boolean;

  /** How everything is doing now. */
  report(): RuntimeReport;

  /** Ends a run as its signal would, and waits. Can be called any number of times. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
