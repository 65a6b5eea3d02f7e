import { type Pointer, pointerText } from '@cosi-ts/resource';
import { ControllerLife } from './controller-life.js';
import { checkQueueController, checkQueueInputs } from './controller-setup.js';
import { InputFeed, type ItemJob, type ItemValue } from './input-feed.js';
import type { QueueInput } from './inputs.js';
import { ItemCraft } from './item-craft.js';
import { ItemWorkers } from './item-workers.js';
import { Job } from './job.js';
import type { PartRegistry } from './part-registry.js';
import type { HookContext, QueueController } from './queue-controller.js';
import type { ControllerReport, ReportedError } from './report.js';
import { RunLoop } from './run-loop.js';
import type { ItemRunner, RunnerHost } from './runner.js';
import { WorkQueue } from './work-queue.js';

/** The life of one queue controller in a runtime. */
export class QueueRunner implements ItemRunner {
  readonly name: string;
  readonly #controller: QueueController;
  readonly #life: ControllerLife;
  readonly #queue: WorkQueue<ItemJob, ItemValue>;
  readonly #feed: InputFeed;
  readonly #craft: ItemCraft;
  readonly #workers: ItemWorkers<ItemJob, ItemValue>;
  readonly #runLoop: RunLoop;
  readonly #parts: PartRegistry;
  readonly #hookJob: Job;
  #hookEnded: Promise<void> = Promise.resolve();

  /** Throws a `TypeError` or `RangeError` for a controller that cannot be. */
  constructor(controller: QueueController, host: RunnerHost) {
    checkQueueController(controller);
    const { options, attribution, turns } = host;
    this.name = controller.name;
    this.#controller = controller;
    this.#parts = host.parts;
    this.#life = new ControllerLife(controller, host);
    const { site, log } = this.#life;
    this.#queue = new WorkQueue(options.clock, () => this.#workers.wake());
    this.#feed = new InputFeed(host.hub, this.#queue);
    this.#craft = new ItemCraft(controller, this.#queue, this.#feed, log);
    const { concurrency = 1, reconcileDeadlineMs: deadlineMs = options.reconcileDeadlineMs } = controller;
    this.#workers = new ItemWorkers(this.#queue, this.#craft, {
      site,
      log,
      target: this.#life,
      loop: host.loop,
      spans: this.#life.spans,
      options,
      turns,
      attribution,
      concurrency,
      deadlineMs,
    });
    this.#runLoop = new RunLoop(options, log, { message: 'the run hook failed' });
    this.#hookJob = new Job(site);
  }

  get running(): boolean {
    return this.#life.status === 'running';
  }

  get ended(): Promise<unknown> {
    return this.#life.ended;
  }

  start(): void {
    this.#life.status = 'running';
    // A list that fails is tried again by its watch, without end: there is nothing to wait for.
    void this.#feed.follow(this.#craft.inputs);
    this.#workers.start();
    this.#hookEnded = this.#runHook();
  }

  async stop(reason: unknown): Promise<void> {
    this.#life.status = 'stopping';
    this.#feed.close();
    this.#queue.close();
    this.#life.abort(this.#hookJob, reason);
    const ended = Promise.all([this.#workers.stop(reason), this.#hookEnded]);
    await this.#life.settle(ended, () => ({ resources: this.#workers.current.map(pointerText) }));
  }

  shutdown(reason: unknown): Promise<void> {
    return this.#life.shutdown(reason);
  }

  /** See `Runtime.queue`. */
  put(pointer: Pointer): boolean {
    this.#craft.put(pointer, false);
    return this.#life.status === 'waiting' || this.#life.status === 'running';
  }

  /** See `QueueControllerHandle.replaceInputs`. */
  async replaceInputs(inputs: readonly QueueInput[]): Promise<void> {
    checkQueueInputs(this.#controller, inputs);
    this.#craft.inputs = [...inputs];
    this.#life.scope.inputs = this.#craft.inputs;
    if (this.#life.status === 'running') await this.#feed.follow(this.#craft.inputs);
  }

  errorOn(pointer: Pointer): ReportedError | undefined {
    return this.#life.errorOn(pointer);
  }

  report(): ControllerReport {
    return {
      ...this.#life.report(),
      kind: 'queue-controller',
      restarts: this.#runLoop.restarts,
      isRestarting: this.#runLoop.isPausing,
      queueLength: this.#queue.ready,
      waiting: this.#queue.waiting,
      inProgress: this.#queue.running,
      overdue: this.#workers.overdue.map(({ namespace, type, id }) => ({ namespace, type, id })),
    };
  }

  async #runHook(): Promise<void> {
    const { runHook } = this.#controller;
    if (runHook === undefined) return;
    const { state, signal, logger, clock, fencingToken } = this.#hookJob;
    const context = {
      state,
      signal,
      logger,
      clock,
      fencingToken,
      queue: (pointer: Pointer) => this.put(pointer),
      replaceInputs: (inputs: readonly QueueInput[]) => this.replaceInputs(inputs),
      resetRestartBackoff: () => this.#runLoop.resetBackoff(),
    };
    const run = async () => {
      using parts = this.#parts.ofRun(this.name);
      const { includeTasks, includeBridge } = parts;
      const own: HookContext = Object.freeze({ ...context, includeTasks, includeBridge });
      await this.#life.call(() => runHook.call(this.#controller, own));
    };
    await this.#runLoop.run(run, signal);
  }
}
