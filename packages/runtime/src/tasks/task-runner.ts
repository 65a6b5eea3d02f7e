import { ClosedError, followAbort } from '@cosi-ts/resource';
import type { TaskFunction, TaskReport } from './task.js';
import { type ResolvedTaskRunnerOptions, resolveTaskRunnerOptions, type TaskRunnerOptions } from './task-options.js';
import { TaskSlot } from './task-slot.js';

/**
 * Keeps a set of long-running tasks equal to a desired one. A task is known by its id, and there is never more than one
 * with an id at a time: a replacement begins when what it replaces has ended.
 *
 * Within a controller, make it with the controller's logger, and close it when the work ends.
 *
 * @example
 * async run({ events, state, logger, signal }) {
 *   await using tasks = new TaskRunner<ProbeSpec>(({ spec, signal }) => probe(spec, signal), { logger });
 *   for await (const _ of events) {
 *     const probes = await state.list(Probe.kind);
 *     await tasks.reconcile(probes.map(({ metadata, spec }) => [metadata.id, spec]), { signal });
 *   }
 * }
 */
export class TaskRunner<S> implements AsyncDisposable {
  readonly #run: TaskFunction<S>;
  readonly #options: ResolvedTaskRunnerOptions<S>;
  readonly #slots = new Map<string, TaskSlot<S>>();
  #closed = false;

  /** Throws a `RangeError` for a number in the options that cannot be. */
  constructor(run: TaskFunction<S>, options: TaskRunnerOptions<S> = {}) {
    this.#run = run;
    this.#options = resolveTaskRunnerOptions(options);
  }

  /**
   * Starts what is missing, stops what is not among the desired tasks, replaces what is to have another spec, and leaves
   * the rest alone. Waits until what was stopped has ended, and no longer than the grace time. Calls may overlap: the
   * latest says what is desired. What `equal` throws comes out of it, with nothing changed.
   *
   * @returns false when a task ignores its signal: its report says `stuck`, and its replacement waits for it
   * @throws `closed` after {@link close}; the signal's reason, which ends the waiting only
   */
  async reconcile(
    desired: Iterable<readonly [id: string, spec: S]>,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<boolean> {
    this.#check(options.signal);
    const wanted = new Map(desired);
    const changed = [...wanted].filter(([id, spec]) => this.#slots.get(id)?.differs(spec) ?? true);
    for (const [id, slot] of [...this.#slots]) if (!wanted.has(id)) slot.unwant('the task is not wanted any more');
    for (const [id, spec] of changed) this.#slot(id).want(spec);
    return this.#settled(options.signal);
  }

  /**
   * Has one task run with that spec, whatever the others do: starts it, or replaces what has another spec. Waits and
   * rejects as {@link reconcile} does.
   */
  async start(id: string, spec: S, options: { readonly signal?: AbortSignal | undefined } = {}): Promise<boolean> {
    this.#check(options.signal);
    const slot = this.#slot(id);
    if (slot.differs(spec)) slot.want(spec);
    return this.#settled(options.signal, slot);
  }

  /** Stops one task, and waits as {@link reconcile} does. There being none is success. */
  async stop(id: string, options: { readonly signal?: AbortSignal | undefined } = {}): Promise<boolean> {
    options.signal?.throwIfAborted();
    const slot = this.#slots.get(id);
    slot?.unwant('the task was stopped');
    return slot === undefined || this.#settled(options.signal, slot);
  }

  /** How the tasks are doing, in the order in which they were first started. */
  report(): readonly TaskReport[] {
    return [...this.#slots.values()].map((slot) => slot.report());
  }

  /** Stops all tasks, and waits for them up to the grace time. Can be called any number of times. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const slot of [...this.#slots.values()]) slot.unwant('the task runner was closed');
    await this.#settled(undefined);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #check(signal: AbortSignal | undefined): void {
    if (this.#closed) throw new ClosedError('the task runner was closed');
    signal?.throwIfAborted();
  }

  #slot(id: string): TaskSlot<S> {
    let slot = this.#slots.get(id);
    if (slot === undefined) {
      slot = new TaskSlot(id, this.#run, this.#options, () => void this.#slots.delete(id));
      this.#slots.set(id, slot);
    }
    return slot;
  }

  async #settled(signal: AbortSignal | undefined, ...slots: readonly TaskSlot<S>[]): Promise<boolean> {
    const awaited = slots.length === 0 ? [...this.#slots.values()] : slots;
    const all = Promise.all(awaited.map((slot) => slot.settled)).then((each) => each.every(Boolean));
    return signal === undefined ? all : unlessAborted(all, signal);
  }
}

/** What the promise gives, or the signal's reason when that aborts first. The promise must not reject. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const unfollow = followAbort(signal, reject);
    void promise.then((value) => {
      unfollow();
      resolve(value);
    });
  });
}
