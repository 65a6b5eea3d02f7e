import { ClosedError, type Kind, type Pointer } from '@cosi-ts/resource';
import { comesOfAbort } from './aborted.js';
import type { Controller, ControllerContext } from './controller.js';
import { ControllerLife } from './controller-life.js';
import { checkController, checkControllerInputs } from './controller-setup.js';
import { EventWork } from './event-work.js';
import { concerns, InputSubscriptions } from './input-subscriptions.js';
import type { ControllerInput } from './inputs.js';
import { OutputTracker } from './output-tracker.js';
import type { PartContext, PartRegistry } from './part-registry.js';
import { ReconcileBell } from './reconcile-bell.js';
import type { ControllerReport, ReportedError } from './report.js';
import { RunLoop } from './run-loop.js';
import type { EventRunner, RunnerHost } from './runner.js';
import { scopedState } from './scoped-state.js';

/** The life of one controller, other than a queue controller, in a runtime. */
export class ControllerRunner implements EventRunner {
  readonly name: string;
  readonly #controller: Controller;
  readonly #life: ControllerLife;
  readonly #subscriptions: InputSubscriptions<ControllerInput>;
  readonly #parts: PartRegistry;
  readonly #work: EventWork;
  readonly #bell: ReconcileBell;
  readonly #runLoop: RunLoop;
  readonly #stop = new AbortController();
  #inputs: readonly ControllerInput[];
  #run: AbortController | undefined;
  #ended: Promise<void> = Promise.resolve();

  /** Throws a `TypeError` or `RangeError` for a controller that cannot be. */
  constructor(controller: Controller, host: RunnerHost) {
    checkController(controller);
    const { clock } = host.options;
    this.name = controller.name;
    this.#controller = controller;
    this.#parts = host.parts;
    this.#inputs = [...controller.inputs];
    this.#life = new ControllerLife(controller, host);
    const { log } = this.#life;
    this.#work = new EventWork(this.name, log, host.loop, this.#life.spans);
    this.#bell = new ReconcileBell(
      clock,
      host.turns,
      () => this.#work.begin(this.#runLoop.attempt),
      () => this.#work.done(),
    );
    this.#subscriptions = new InputSubscriptions<ControllerInput>(
      host.hub,
      (inputs) => (changes) => {
        if (changes.some((change) => inputs.some((input) => concerns(input, change)))) this.#bell.ring();
      },
      () => true,
    );
    this.#runLoop = new RunLoop(host.options, log, {
      message: 'the controller failed',
      onFailure: () => log.counts.failed++,
    });
  }

  get running(): boolean {
    return this.#life.status === 'running' || this.#life.status === 'ended';
  }

  get ended(): Promise<unknown> {
    return this.#life.ended;
  }

  start(): void {
    this.#life.status = 'running';
    const { tried, live } = this.#subscriptions.follow(this.#inputs);
    void tried.then((allLive) => {
      if (!this.#isLooping) return;
      this.#bell.open();
      // What has come and gone before the list that comes late is in no list: have a look again then.
      if (!allLive) void live.then(() => this.#bell.ring());
    });
    this.#ended = this.#loop();
  }

  async stop(reason: unknown): Promise<void> {
    this.#life.status = 'stopping';
    this.#leave();
    this.#stop.abort(reason);
    if (this.#run !== undefined) this.#life.abort(this.#run, reason);
    await this.#life.settle(this.#ended, () => ({}));
  }

  shutdown(reason: unknown): Promise<void> {
    return this.#life.shutdown(reason);
  }

  /** See `Runtime.queueReconcile`. */
  queueReconcile(): boolean {
    this.#bell.ring();
    return this.#life.status === 'waiting' || this.#isLooping;
  }

  /** See `ControllerHandle.replaceInputs`. */
  async replaceInputs(inputs: readonly ControllerInput[]): Promise<void> {
    checkControllerInputs(this.#controller, inputs);
    this.#inputs = [...inputs];
    this.#life.scope.inputs = this.#inputs;
    if (!this.#isLooping) return;
    await this.#subscriptions.follow(this.#inputs).live;
    if (this.#isLooping) this.#bell.open();
  }

  /** Without items of its own, what fails its run keeps it from every resource. */
  errorOn(pointer: Pointer): ReportedError | undefined {
    return this.#life.errorOn(pointer) ?? (this.#runLoop.isPausing ? this.#life.log.lastError : undefined);
  }

  report(): ControllerReport {
    return {
      ...this.#life.report(),
      kind: 'controller',
      restarts: this.#runLoop.restarts,
      isRestarting: this.#runLoop.isPausing,
      queueLength: this.#bell.pending ? 1 : 0,
      waiting: this.#bell.waiting ? 1 : 0,
      inProgress: this.#bell.busy ? 1 : 0,
      overdue: [],
    };
  }

  get #isLooping(): boolean {
    return this.#life.status === 'running';
  }

  async #loop(): Promise<void> {
    await this.#runLoop.run(() => this.#runOnce(), this.#stop.signal);
    if (!this.#isLooping) return;
    this.#life.status = 'ended';
    this.#leave();
    this.#life.log.logger.warn({}, 'its run has returned: the controller has ended');
  }

  async #runOnce(): Promise<void> {
    using parts = this.#parts.ofRun(this.name);
    const run = new AbortController();
    this.#run = run;
    this.#bell.ring();
    try {
      await this.#life.call(() => this.#controller.run(this.#context(run.signal, parts)));
      this.#work.leave();
    } catch (error) {
      if (comesOfAbort(error, this.#stop.signal)) this.#work.leave();
      else this.#work.fail(error);
      throw error;
    } finally {
      this.#run = undefined;
      // Whatever it left behind can do nothing more.
      this.#life.abort(run, new ClosedError('this run of the controller has ended'));
    }
  }

  #context(signal: AbortSignal, { includeTasks, includeBridge }: PartContext): ControllerContext {
    const { scope, site, log } = this.#life;
    const tracker = new OutputTracker();
    const work = { callSignal: signal, written: (pointer: Pointer) => tracker.note(pointer) };
    const state = scopedState(scope, site.state, work, site.cache);
    const ring = (delayMs: number | undefined) => {
      if (signal.aborted) return;
      if (delayMs === undefined) this.#bell.ring();
      else this.#bell.ringAfter(delayMs);
    };
    return Object.freeze({
      state,
      signal,
      logger: log.logger,
      clock: site.clock,
      fencingToken: site.term?.fencingToken,
      events: this.#bell.events(signal, () => this.#runLoop.attempt),
      queueReconcile: ring,
      replaceInputs: (inputs: readonly ControllerInput[]) => this.replaceInputs(inputs),
      startTrackingOutputs: () => tracker.start(),
      cleanupOutputs: async (...kinds: readonly Kind[]) => {
        for (const kind of kinds) scope.checkWrite(kind);
        return tracker.cleanup(kinds, state, signal);
      },
      includeTasks,
      includeBridge,
      resetRestartBackoff: () => this.#runLoop.resetBackoff(),
    });
  }

  #leave(): void {
    this.#subscriptions.close();
    this.#bell.close();
  }
}
