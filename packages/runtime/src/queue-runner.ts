import { type Pointer, pointerText } from '@cosi-ts/resource';
import { ownedState, type State } from '@cosi-ts/state';
import { AccessScope } from './access-scope.js';
import type { Attribution, EscapeTarget } from './attribution.js';
import { ControllerLog } from './controller-log.js';
import { checkController, checkInputs } from './controller-setup.js';
import { settlesWithin } from './grace.js';
import { InputFeed, type ItemJob, type ItemValue } from './input-feed.js';
import type { QueueInput } from './inputs.js';
import { ItemCraft } from './item-craft.js';
import { ItemWorkers } from './item-workers.js';
import { Job, type JobSite } from './job.js';
import type { HookContext, QueueController } from './queue-controller.js';
import type { ControllerReport } from './report.js';
import { RunLoop } from './run-loop.js';
import type { ResolvedRuntimeOptions } from './runtime-options.js';
import type { Turns } from './turns.js';
import type { WatchHub } from './watch-hub.js';
import { WorkQueue } from './work-queue.js';

/** What a controller's runner needs of its runtime. */
export interface RunnerHost {
  readonly state: State;
  readonly hub: WatchHub;
  readonly options: ResolvedRuntimeOptions;
  readonly attribution: Attribution;
  readonly turns: Turns;
}

/** The life of one queue controller in a runtime. */
export class QueueRunner implements EscapeTarget {
  readonly name: string;
  readonly #controller: QueueController;
  readonly #host: RunnerHost;
  readonly #log: ControllerLog;
  readonly #scope: AccessScope;
  readonly #site: JobSite;
  readonly #queue: WorkQueue<ItemJob, ItemValue>;
  readonly #feed: InputFeed;
  readonly #craft: ItemCraft;
  readonly #workers: ItemWorkers<ItemJob, ItemValue>;
  readonly #runLoop: RunLoop;
  readonly #hookJob: Job;
  #hookEnded: Promise<void> = Promise.resolve();
  #status: ControllerReport['status'] = 'waiting';

  /** Throws a `TypeError` or `RangeError` for a controller that cannot be. */
  constructor(controller: QueueController, host: RunnerHost) {
    checkController(controller);
    const { options, attribution, turns } = host;
    const { name, inputs, outputs = [], concurrency = 1 } = controller;
    this.name = name;
    this.#controller = controller;
    this.#host = host;
    this.#log = new ControllerLog(options.logger.child({ controller: name }), options.clock);
    this.#scope = new AccessScope(name, [...inputs], outputs);
    this.#site = { scope: this.#scope, state: ownedState(host.state, name), logger: this.#log.logger };
    this.#queue = new WorkQueue(options.clock, () => this.#workers.wake());
    this.#feed = new InputFeed(host.hub, this.#queue);
    this.#craft = new ItemCraft(controller, this.#queue, this.#feed, this.#log);
    const { reconcileDeadlineMs: deadlineMs = options.reconcileDeadlineMs } = controller;
    this.#workers = new ItemWorkers(this.#queue, this.#craft, {
      site: this.#site,
      log: this.#log,
      target: this,
      options,
      turns,
      attribution,
      concurrency,
      deadlineMs,
    });
    this.#runLoop = new RunLoop(options, this.#log);
    this.#hookJob = new Job(this.#site);
  }

  get running(): boolean {
    return this.#status === 'running';
  }

  start(): void {
    this.#status = 'running';
    // A list that fails is tried again by its watch, without end: there is nothing to wait for.
    void this.#feed.follow(this.#craft.inputs);
    this.#workers.start();
    this.#hookEnded = this.#runHook();
  }

  /** Ends all work and waits for it, up to the grace time. */
  async stop(reason: unknown): Promise<void> {
    const { clock, shutdownGraceMs: graceMs } = this.#host.options;
    this.#status = 'stopping';
    this.#feed.close();
    this.#queue.close();
    this.#abort(this.#hookJob, reason);
    const ended = Promise.all([this.#workers.stop(reason), this.#hookEnded]);
    if (await settlesWithin(clock, graceMs, ended)) {
      this.#status = 'stopped';
      return;
    }
    this.#status = 'stuck';
    const resources = this.#workers.current.map(pointerText);
    this.#log.logger.error({ resources, graceMs }, 'work goes on although the runtime has ended: left behind');
  }

  /** Runs the shutdown hook, up to the grace time. */
  async shutdown(reason: unknown): Promise<void> {
    const { clock, shutdownGraceMs: graceMs } = this.#host.options;
    const job = new Job(this.#site);
    const hook = async () => {
      try {
        await this.#host.attribution.run(this, () => this.#controller.shutdownHook?.(job));
      } catch (error) {
        this.#log.failure(error, 'the shutdown hook failed');
      }
    };
    if (await settlesWithin(clock, graceMs, hook())) return;
    this.#abort(job, reason);
    this.#log.logger.error({ graceMs }, 'the shutdown hook does not end: left behind');
  }

  /** See `Runtime.queue`. */
  put(pointer: Pointer): boolean {
    this.#craft.put(pointer, false);
    return this.#status === 'waiting' || this.#status === 'running';
  }

  /** See `ControllerHandle.replaceInputs`. */
  async replaceInputs(inputs: readonly QueueInput[]): Promise<void> {
    checkInputs(this.#controller, inputs);
    this.#craft.inputs = [...inputs];
    this.#scope.inputs = this.#craft.inputs;
    if (this.#status === 'running') await this.#feed.follow(this.#craft.inputs);
  }

  escaped(error: unknown): void {
    this.#log.counts.escaped++;
    this.#log.failure(error, 'an error escaped through a timer, an event handler or a promise that nobody awaited');
  }

  report(): ControllerReport {
    return {
      name: this.name,
      status: this.#status,
      restarts: this.#runLoop.restarts,
      lastError: this.#log.lastError,
      queueLength: this.#queue.ready,
      waiting: this.#queue.waiting,
      inProgress: this.#queue.running,
      overdue: this.#workers.overdue.map(({ namespace, type, id }) => ({ namespace, type, id })),
      counts: { ...this.#log.counts },
    };
  }

  /** What listeners of the signal throw is the controller's. */
  #abort(job: Job, reason: unknown): void {
    this.#host.attribution.run(this, () => job.abort(reason));
  }

  async #runHook(): Promise<void> {
    const { runHook } = this.#controller;
    if (runHook === undefined) return;
    const { state, signal, logger } = this.#hookJob;
    const context: HookContext = Object.freeze({
      state,
      signal,
      logger,
      queue: (pointer: Pointer) => this.put(pointer),
      replaceInputs: (inputs: readonly QueueInput[]) => this.replaceInputs(inputs),
      resetRestartBackoff: () => this.#runLoop.resetBackoff(),
    });
    const call = () => this.#host.attribution.run(this, () => runHook.call(this.#controller, context));
    await this.#runLoop.run(call, signal);
  }
}
