import { ClosedError } from '@cosi-ts/resource';
import { ControllerLog } from '../controller-log.js';
import { settlesWithin } from '../grace.js';
import { RunLoop } from '../run-loop.js';
import type { TaskContext, TaskFunction, TaskReport } from './task.js';
import type { ResolvedTaskRunnerOptions } from './task-options.js';

/** A task with one spec, through all its restarts. */
interface Life {
  readonly aborter: AbortController;
  readonly loop: RunLoop;
  readonly ended: Promise<void>;
}

/** The place of one task: never holds two lives at once, however the wishes change while one ends. */
export class TaskSlot<S> {
  readonly id: string;
  readonly #run: TaskFunction<S>;
  readonly #options: ResolvedTaskRunnerOptions<S>;
  readonly #onEmpty: () => void;
  readonly #log: ControllerLog;
  #wanted: { readonly spec: S } | undefined;
  #life: Life | undefined;
  #stopping: Promise<boolean> = Promise.resolve(true);
  #status: TaskReport['status'] = 'running';
  #since = '';

  /** @param onEmpty called when the task has ended and none is wanted */
  constructor(id: string, run: TaskFunction<S>, options: ResolvedTaskRunnerOptions<S>, onEmpty: () => void) {
    this.id = id;
    this.#run = run;
    this.#options = options;
    this.#onEmpty = onEmpty;
    this.#log = new ControllerLog(options.runtime.logger.child({ task: id }), options.runtime.clock);
  }

  /** Whether the task that is here, or is to come, must make way for one with that spec. */
  differs(spec: S): boolean {
    return this.#wanted === undefined || !this.#options.equal(this.#wanted.spec, spec);
  }

  want(spec: S): void {
    this.#wanted = { spec };
    if (this.#life === undefined || this.#status === 'ended') this.#begin(spec);
    else this.#end('the task is wanted with another spec');
  }

  unwant(reason: string): void {
    this.#wanted = undefined;
    if (this.#life === undefined || this.#status === 'ended') this.#onEmpty();
    else this.#end(reason);
  }

  /** Resolves when what was told to end has ended; with false when it did not within the grace time. */
  get settled(): Promise<boolean> {
    return this.#stopping;
  }

  report(): TaskReport {
    return {
      id: this.id,
      status: this.#status,
      since: this.#since,
      restarts: this.#life?.loop.restarts ?? 0,
      lastError: this.#log.lastError,
    };
  }

  #begin(spec: S): void {
    const aborter = new AbortController();
    const { signal } = aborter;
    const loop = new RunLoop(this.#options.runtime, this.#log, {
      message: 'the task failed',
      onFailure: () => {
        if (!signal.aborted) this.#set('waiting');
      },
    });
    const call = () => {
      this.#set('running');
      return this.#run(this.#context(spec, signal, loop));
    };
    // A microtask later, so that a function that calls the runner finds it as it is to be.
    const ended = Promise.resolve().then(() => loop.run(call, signal));
    const life = { aborter, loop, ended };
    this.#life = life;
    this.#set('running');
    void ended.then(() => this.#onEnded(life));
  }

  #context(spec: S, signal: AbortSignal, loop: RunLoop): TaskContext<S> {
    return Object.freeze({
      id: this.id,
      spec,
      signal,
      logger: this.#log.logger,
      attempt: loop.attempt,
      resetRestartBackoff: () => loop.resetBackoff(),
    });
  }

  #end(reason: string): void {
    const life = this.#life;
    if (life === undefined || life.aborter.signal.aborted) return;
    this.#set('stopping');
    this.#stopping = this.#awaitEnd(life);
    life.aborter.abort(new ClosedError(reason));
  }

  async #awaitEnd(life: Life): Promise<boolean> {
    const { runtime, stopGraceMs: graceMs } = this.#options;
    if (await settlesWithin(runtime.clock, graceMs, life.ended)) return true;
    this.#set('stuck');
    this.#log.logger.error({ graceMs }, 'the task does not end although it was told to');
    return false;
  }

  #onEnded(life: Life): void {
    if (!life.aborter.signal.aborted) {
      this.#set('ended');
      this.#log.logger.info({}, 'the task has returned: it has ended');
      return;
    }
    this.#life = undefined;
    this.#stopping = Promise.resolve(true);
    if (this.#wanted === undefined) this.#onEmpty();
    else this.#begin(this.#wanted.spec);
  }

  #set(status: TaskReport['status']): void {
    if (this.#status === status && this.#since !== '') return;
    this.#status = status;
    this.#since = this.#options.runtime.clock.now().toString();
  }
}
