import type { Pointer } from '@cosi-ts/resource';
import type { Controller } from '../controller.js';
import { ControllerLog } from '../controller-log.js';
import { ControllerRunner } from '../controller-runner.js';
import { checkControllerInputs, checkQueueInputs } from '../controller-setup.js';
import { settlesWithin } from '../grace.js';
import { wakes } from '../input-feed.js';
import { InputSubscriptions } from '../input-subscriptions.js';
import type { ControllerInput, DeclaredInput, QueueInput } from '../inputs.js';
import type { QueueController } from '../queue-controller.js';
import { QueueRunner } from '../queue-runner.js';
import type { ControllerReport, ReportedError } from '../report.js';
import { RunLoop } from '../run-loop.js';
import type { EventRunner, ItemRunner, Runner, RunnerHost } from '../runner.js';
import type { LeaderElection, Lease } from './leader-election.js';
import { Term } from './term.js';

/** A runner for one term. */
interface TermRunner<I> extends Runner {
  replaceInputs(inputs: readonly I[]): Promise<void>;
}

/** What is different for controllers with and without a queue. */
interface TermCraft<R, I> {
  make(host: RunnerHost): R;
  /** Throws for inputs that cannot be. */
  check(inputs: readonly I[]): void;
  /** Whether an input has to be watched. */
  wakes(input: I): boolean;
}

/**
 * The life of a controller that works while it leads. Each term has a runner of its own, which begins like a controller
 * that was just started: whatever another leader did meanwhile, it looks at everything. Between terms the inputs are
 * watched, so that it can begin at once.
 */
class LedRunner<R extends TermRunner<I>, I extends DeclaredInput> implements Runner {
  readonly name: string;
  readonly #host: RunnerHost;
  readonly #election: LeaderElection;
  readonly #craft: TermCraft<R, I>;
  readonly #log: ControllerLog;
  readonly #loop: RunLoop;
  readonly #warm: InputSubscriptions<I>;
  readonly #stop = new AbortController();
  #inputs: readonly I[];
  #next: { readonly runner: R; readonly term: Term };
  /** The runner that works, or that worked last. */
  #leading: R | undefined;
  #status: ControllerReport['status'] = 'waiting';
  /** Those of terms that are over. */
  #restarts = 0;
  #ended: Promise<unknown> = Promise.resolve();

  /** Throws a `TypeError` or `RangeError` for a controller that cannot be. */
  constructor(
    { name, inputs }: { readonly name: string; readonly inputs: readonly I[] },
    host: RunnerHost,
    election: LeaderElection,
    craft: TermCraft<R, I>,
  ) {
    const { options, hub } = host;
    this.name = name;
    this.#host = host;
    this.#election = election;
    this.#craft = craft;
    this.#inputs = inputs;
    this.#log = new ControllerLog(options.logger.child({ controller: name }), options.clock);
    this.#loop = new RunLoop(options, this.#log, { message: 'the election failed' });
    this.#warm = new InputSubscriptions<I>(
      hub,
      () => () => undefined,
      () => true,
    );
    this.#next = this.#prepare();
  }

  get running(): boolean {
    return this.#status !== 'waiting';
  }

  get ended(): Promise<unknown> {
    return this.#ended;
  }

  start(): void {
    this.#status = 'standby';
    this.#watch();
    this.#ended = this.#loop.run(() => this.#serve(), this.#stop.signal);
  }

  async stop(reason: unknown): Promise<void> {
    const { clock, shutdownGraceMs: graceMs } = this.#host.options;
    this.#status = 'stopping';
    this.#warm.close();
    this.#stop.abort(reason);
    // The work has the grace time, and giving up the lease has it once more.
    const isOver = await settlesWithin(clock, 2 * graceMs, this.#ended);
    if (!isOver) this.#log.logger.error({ graceMs }, 'the election does not end: left behind');
    this.#status = isOver && this.#leading?.report().status !== 'stuck' ? 'stopped' : 'stuck';
  }

  /** What never worked here has nothing to shut down. */
  async shutdown(reason: unknown): Promise<void> {
    await this.#leading?.shutdown(reason);
  }

  async replaceInputs(inputs: readonly I[]): Promise<void> {
    this.#craft.check(inputs);
    this.#inputs = [...inputs];
    if (this.#status !== 'waiting' && !this.isOver) this.#watch();
    await Promise.all([...new Set([this.#next.runner, this.active])].map((runner) => runner.replaceInputs(inputs)));
  }

  errorOn(pointer: Pointer): ReportedError | undefined {
    return this.active.errorOn(pointer);
  }

  report(): ControllerReport {
    const report = this.active.report();
    const isLeading = this.active === this.#leading;
    return {
      ...report,
      status: isLeading ? report.status : this.#status,
      isRestarting: this.#loop.isPausing || report.isRestarting,
      restarts: this.#restarts + (isLeading ? report.restarts : 0),
    };
  }

  /** Who takes what comes from outside: the runner that works, or else the one that is next. */
  protected get active(): R {
    return this.#status === 'running' && this.#leading !== undefined ? this.#leading : this.#next.runner;
  }

  protected get isOver(): boolean {
    return this.#stop.signal.aborted;
  }

  #watch(): void {
    this.#warm.follow(this.#inputs.filter((input) => this.#craft.wakes(input)));
  }

  #prepare() {
    const term = new Term(this.name);
    const runner = this.#craft.make({ ...this.#host, log: this.#log, term });
    // It does not run: nothing is waited for.
    void runner.replaceInputs(this.#inputs);
    return { runner, term };
  }

  /** One term after another. */
  async #serve(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const lease = await this.#election.campaign(this.name, { signal });
      if (signal.aborted || lease.signal.aborted) await lease.release();
      else await this.#lead(lease);
    }
  }

  async #lead(lease: Lease): Promise<void> {
    const { runner, term } = this.#next;
    const { holder, fencingToken } = lease;
    this.#log.logger.info({ holder, fencingToken }, 'leads');
    // What comes from outside while this one ends is for the next one.
    this.#next = this.#prepare();
    this.#leading = runner;
    this.#status = 'running';
    term.begin(lease);
    const stopped = this.#stopWhenOver(lease, runner);
    runner.start();
    await stopped;
    this.#restarts += runner.report().restarts;
    if (runner.report().status !== 'stuck' || (await this.#outlived(lease, runner))) await lease.release();
    if (!this.isOver) this.#status = 'standby';
  }

  /** Stops the runner as soon as the lease is lost, or all is to end. Resolves when that is done. */
  #stopWhenOver(lease: Lease, runner: R): Promise<void> {
    const { signal } = this.#stop;
    return new Promise((resolve, reject) => {
      const end = (reason: unknown) => {
        lease.signal.removeEventListener('abort', onLost);
        signal.removeEventListener('abort', onStop);
        runner.stop(reason).then(resolve, reject);
      };
      const onLost = () => {
        this.#status = 'stopping';
        this.#log.logger.warn({ err: lease.signal.reason }, 'leads no more');
        end(lease.signal.reason);
      };
      const onStop = () => end(signal.reason);
      lease.signal.addEventListener('abort', onLost, { once: true });
      signal.addEventListener('abort', onStop, { once: true });
    });
  }

  /**
   * Waits for work that ignores its signal: nobody else is to have the lease at once, and there is no next term while it
   * goes on. False when everything ends before.
   */
  async #outlived(lease: Lease, runner: R): Promise<boolean> {
    lease.lapse();
    if (!this.isOver) this.#status = 'stuck';
    const { signal } = this.#stop;
    return new Promise((resolve) => {
      const onStop = () => resolve(false);
      if (signal.aborted) return onStop();
      signal.addEventListener('abort', onStop, { once: true });
      const onEnded = () => {
        signal.removeEventListener('abort', onStop);
        resolve(true);
      };
      runner.ended.then(onEnded, onEnded);
    });
  }
}

/** The life of a controller without a queue that works while it leads. */
export class LedEventRunner extends LedRunner<ControllerRunner, ControllerInput> implements EventRunner {
  constructor(controller: Controller, host: RunnerHost, election: LeaderElection) {
    super(controller, host, election, {
      make: (own) => new ControllerRunner(controller, own),
      check: (inputs) => checkControllerInputs(controller, inputs),
      wakes: () => true,
    });
  }

  queueReconcile(): boolean {
    return !this.isOver && this.active.queueReconcile();
  }
}

/** The life of a queue controller that works while it leads. */
export class LedItemRunner extends LedRunner<QueueRunner, QueueInput> implements ItemRunner {
  constructor(controller: QueueController, host: RunnerHost, election: LeaderElection) {
    super(controller, host, election, {
      make: (own) => new QueueRunner(controller, own),
      check: (inputs) => checkQueueInputs(controller, inputs),
      wakes,
    });
  }

  put(pointer: Pointer): boolean {
    return !this.isOver && this.active.put(pointer);
  }
}
