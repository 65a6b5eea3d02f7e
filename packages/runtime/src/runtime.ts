import { ClosedError, followAbort, type Pointer } from '@cosi-ts/resource';
import { type CallOptions, type CoreState, type State, wrapState } from '@cosi-ts/state';
import { Attribution } from './attribution.js';
import { type ForcedRemoval, forceRemoveFinalizer, type TeardownBlockers, teardownBlockers } from './blockers.js';
import { ReadCache } from './cache/read-cache.js';
import type { Controller } from './controller.js';
import { ControllerRunner } from './controller-runner.js';
import { isQueueController } from './controller-setup.js';
import { LedEventRunner, LedItemRunner } from './election/led-runner.js';
import { settlesWithin } from './grace.js';
import { type Graph, graphOf } from './graph.js';
import { healthOf } from './health.js';
import type { ControllerInput, QueueInput } from './inputs.js';
import { LoopWatch } from './loop-watch.js';
import { observeRuntime } from './metrics.js';
import { OutputClaims } from './output-claims.js';
import { PartRegistry, type ReportingBridge, type ReportingTasks } from './part-registry.js';
import type { QueueController } from './queue-controller.js';
import { QueueRunner } from './queue-runner.js';
import type { ControllerReport, RuntimeReport } from './report.js';
import { type EventRunner, type ItemRunner, isItemRunner, type RunnerHost } from './runner.js';
import { RegistrationError, StoppedError, UnknownControllerError } from './runtime-errors.js';
import { type ResolvedRuntimeOptions, type RuntimeOptions, resolveRuntimeOptions } from './runtime-options.js';
import { Turns } from './turns.js';
import { WatchHub } from './watch-hub.js';

/** A controller as registered with a runtime. */
export interface ControllerHandle {
  readonly name: string;
  /** See {@link Runtime.queueReconcile}. */
  queueReconcile(): boolean;
  /**
   * Sets other inputs. Once the call has resolved, no change of a new one is missed; while the state cannot be listed, it
   * waits. Rejects with a `TypeError` when the inputs cannot be so. Before the runtime runs, it watches nothing yet.
   */
  replaceInputs(inputs: readonly ControllerInput[]): Promise<void>;
  report(): ControllerReport;
}

/** A queue controller as registered with a runtime. */
export interface QueueControllerHandle<P extends Pointer = Pointer> {
  readonly name: string;
  /** See {@link Runtime.queue}. */
  queue(pointer: Pointer): boolean;
  /**
   * Sets other inputs, as {@link ControllerHandle.replaceInputs} does. Items of kinds that are primary no more are
   * forgotten.
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
export class Runtime implements AsyncDisposable {
  readonly #state: State;
  readonly #options: ResolvedRuntimeOptions;
  readonly #hub: WatchHub;
  readonly #cache: ReadCache;
  readonly #attribution = new Attribution();
  readonly #turns: Turns;
  readonly #loop: LoopWatch;
  readonly #parts = new PartRegistry();
  readonly #claims = new OutputClaims();
  readonly #runners = new Map<string, EventRunner | ItemRunner>();
  #status: RuntimeReport['status'] = 'new';
  #running: Promise<void> = Promise.resolve();
  #stop: ((reason: unknown) => void) | undefined;

  /** Throws a `RangeError` for a number in the options that cannot be. */
  constructor(state: CoreState, options: RuntimeOptions = {}) {
    this.#state = wrapState(state);
    this.#options = resolveRuntimeOptions(options);
    this.#cache = new ReadCache(this.#options.cached, this.#state.core, this.#options);
    this.#hub = new WatchHub(this.#state.core, this.#options, this.#cache);
    this.#turns = new Turns(this.#options.clock);
    this.#loop = new LoopWatch(this.#options.clock, this.#options.logger);
  }

  /**
   * Adds a controller; while the runtime runs it starts at once.
   *
   * @throws `TypeError` when its declaration cannot be so; `runtime/registration` when its name is taken or its outputs
   * clash with those of another one; `closed` after the end
   */
  register(controller: Controller): ControllerHandle;
  register<P extends Pointer>(controller: QueueController<P>): QueueControllerHandle<P>;
  register(controller: Controller | QueueController): ControllerHandle | QueueControllerHandle;
  register(controller: Controller | QueueController): ControllerHandle | QueueControllerHandle {
    if (this.#status === 'stopping' || this.#status === 'stopped') throw new ClosedError('the runtime has ended');
    const host = {
      state: this.#state,
      hub: this.#hub,
      cache: this.#cache,
      options: this.#options,
      attribution: this.#attribution,
      turns: this.#turns,
      loop: this.#loop,
      parts: this.#parts,
    };
    if (isQueueController(controller)) {
      const runner = this.#add(this.#itemRunner(controller, host), controller);
      return Object.freeze({
        name: runner.name,
        queue: (pointer: Pointer) => runner.put(pointer),
        replaceInputs: (inputs: readonly QueueInput[]) => runner.replaceInputs(inputs),
        report: () => runner.report(),
      });
    }
    const runner = this.#add(this.#eventRunner(controller, host), controller);
    return Object.freeze({
      name: runner.name,
      queueReconcile: () => runner.queueReconcile(),
      replaceInputs: (inputs: readonly ControllerInput[]) => runner.replaceInputs(inputs),
      report: () => runner.report(),
    });
  }

  /**
   * Runs all controllers until the signal aborts; then ends their work, waits for it, and runs the shutdown hooks.
   * Resolves when nothing is left behind, or what ignored its signal for the grace time has been logged.
   *
   * @throws `closed` when it is called a second time, or after `close`
   */
  async run(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    if (this.#status !== 'new') throw new ClosedError('a runtime runs once');
    this.#status = 'running';
    this.#running = this.#run(options.signal);
    await this.#running;
  }

  /**
   * Has a controller reconcile an item because something happened outside of the state: a timer, a request, an event of
   * a hypervisor. Can be called from anywhere, also before the runtime runs; any number of calls before the item is
   * begun become one. The item need not exist in the state.
   *
   * @returns false when the controller has ended
   * @throws `runtime/undeclared` when the pointer is of no primary input, `runtime/unknown-controller` when no queue
   * controller has that name
   */
  queue(controller: string, pointer: Pointer): boolean {
    const runner = this.#runners.get(controller);
    if (runner === undefined || !isItemRunner(runner)) throw new UnknownControllerError(controller, 'queue controller');
    return runner.put(pointer);
  }

  /**
   * Gives a controller a reconcile event because something happened outside of the state. Can be called from anywhere,
   * also before the runtime runs; any number of calls before the event is taken become one.
   *
   * @returns false when the controller has ended
   * @throws `runtime/unknown-controller` when no controller, other than queue controllers, has that name
   */
  queueReconcile(controller: string): boolean {
    const runner = this.#runners.get(controller);
    if (runner === undefined || isItemRunner(runner))
      throw new UnknownControllerError(controller, 'controller without a queue');
    return runner.queueReconcile();
  }

  /** How everything is doing now. */
  report(): RuntimeReport {
    const report = {
      status: this.#status,
      controllers: [...this.#runners.values()].map((runner) => runner.report()),
      watches: this.#hub.report(),
      caches: this.#cache.report(this.#hub),
      tasks: this.#parts.tasks(),
      bridges: this.#parts.bridges(),
      loop: this.#loop.report(),
    };
    return { ...report, health: healthOf(report, this.#options.clock.now()) };
  }

  /**
   * Has a bridge be part of the runtime's report, until what is given is disposed. The runtime neither runs nor closes it.
   */
  includeBridge(bridge: ReportingBridge): Disposable {
    return this.#parts.includeBridge(bridge);
  }

  /**
   * Has the tasks of a task runner be part of the runtime's report, until what is given is disposed. The runtime does not
   * close it. Controllers include theirs with their context.
   *
   * @param name what the tasks are listed under
   */
  includeTasks(name: string, tasks: ReportingTasks): Disposable {
    return this.#parts.includeTasks(name, tasks);
  }

  /**
   * What keeps a resource that is being torn down from being destroyed: each of its finalizers, with the registered
   * controller that owns it and that controller's error on it, or without one as an orphan. A finalizer is owned by the
   * controller of its name. Rejects with `not-found` when the resource is gone.
   */
  blockers(pointer: Pointer, options: CallOptions = {}): Promise<TeardownBlockers> {
    const sinceOf = (at: Pointer) => this.#hub.tornDownSince(at)?.toString();
    return teardownBlockers(this.#state, pointer, this.#runners, sinceOf, options);
  }

  /**
   * Removes one finalizer of one resource that is being torn down, although its owner did not, and logs that. What the
   * owner was to clean up is left as it is: for orphans, and for owners that are known never to let go. Nothing in this
   * package calls it.
   *
   * @returns false when the resource does not have that finalizer
   * @throws `not-found` when the resource is gone, `phase-conflict` when it is not being torn down, `version-conflict`
   * when a version is named and it is another one
   */
  forceRemoveFinalizer(pointer: Pointer, finalizer: string, options: ForcedRemoval = {}): Promise<boolean> {
    return forceRemoveFinalizer(this.#state, pointer, finalizer, this.#options.logger, options);
  }

  /** Which controllers read and write what, as it is declared now. */
  graph(): Graph {
    return graphOf([...this.#runners.values()].map((runner) => runner.report()));
  }

  /**
   * Begins to follow the work of controllers through timers, event handlers and promises that nobody awaits. What it
   * gives is to be called with errors that come up there, in the context in which they do: it reports the error to the
   * controller that it came from, or gives false when it came from none. {@link installProcessHandlers} does that.
   *
   * @throws `unsupported` on hosts without `AsyncLocalStorage`
   */
  attributeErrors(): (error: unknown) => boolean {
    this.#attribution.enable();
    return (error) => this.#attribution.report(error);
  }

  /** Ends a run as its signal would, and waits. Can be called any number of times. */
  async close(): Promise<void> {
    if (this.#status === 'new') this.#status = 'stopped';
    this.#stop?.(new ClosedError('the runtime was closed'));
    await this.#running;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #itemRunner(controller: QueueController, host: RunnerHost): ItemRunner {
    const { leaderElection } = this.#options;
    if (controller.needsLeader !== true || leaderElection === undefined) return new QueueRunner(controller, host);
    return new LedItemRunner(controller, host, leaderElection);
  }

  #eventRunner(controller: Controller, host: RunnerHost): EventRunner {
    const { leaderElection } = this.#options;
    if (controller.needsLeader !== true || leaderElection === undefined) return new ControllerRunner(controller, host);
    return new LedEventRunner(controller, host, leaderElection);
  }

  #add<R extends EventRunner | ItemRunner>(runner: R, { outputs = [] }: Controller | QueueController): R {
    const { name } = runner;
    if (this.#runners.has(name)) throw new RegistrationError(name, 'the name is taken');
    this.#claims.claim(name, outputs);
    this.#runners.set(name, runner);
    if (this.#status === 'running') runner.start();
    return runner;
  }

  async #run(signal: AbortSignal | undefined): Promise<void> {
    const stopped = this.#stopped(signal);
    if (signal?.aborted !== true) this.#cache.follow(this.#hub);
    using _metrics = observeRuntime(() => this.report(), this.#options.meter);
    this.#loop.open();
    // A hook can register more, which start at once: they are not for this loop.
    if (signal?.aborted !== true) for (const runner of [...this.#runners.values()]) runner.start();
    const reason = new StoppedError(await stopped);
    this.#status = 'stopping';
    const started = [...this.#runners.values()].filter((runner) => runner.running);
    await Promise.all(started.map((runner) => runner.stop(reason)));
    await this.#closeWatches();
    await Promise.all(started.map((runner) => runner.shutdown(reason)));
    this.#loop.close();
    this.#status = 'stopped';
  }

  async #closeWatches(): Promise<void> {
    const { clock, shutdownGraceMs: graceMs, logger } = this.#options;
    if (await settlesWithin(clock, graceMs, this.#hub.close())) return;
    logger.error({ graceMs }, 'watches of the state do not end: left behind');
  }

  /** Resolves with the reason when the signal aborts or the runtime is closed. */
  #stopped(signal: AbortSignal | undefined): Promise<unknown> {
    return new Promise((resolve) => {
      const unfollow = signal && followAbort(signal, resolve);
      this.#stop = (reason) => {
        this.#stop = undefined;
        unfollow?.();
        resolve(reason);
      };
    });
  }
}
