import { create } from '@bufbuild/protobuf';
import type { Pointer, TypedPointer, TypedResource } from '@cosi-ts/resource';
import {
  type HookContext,
  type Logger,
  primary,
  type QueueController,
  type ReconcileContext,
  type ReconcileResult,
  requeueAfter,
  shared,
} from '@cosi-ts/runtime';
import type { Clock, Random, State } from '@cosi-ts/state';
import { type Executor, type Recovery, StopReason } from '../executors/executor.js';
import { StepErrorSchema, type StepRunSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { type HowToGive, howToGive as ofEngine } from '../how-to-give.js';
import { StepResult, StepRun } from '../resources/index.js';
import { labels } from '../resources/labels.js';
import { attemptOf, RunningAttempt } from './running-attempt.js';
import type { StepClaims } from './step-claims.js';
import { type AttemptResult, isRefused, writeResult } from './step-results.js';
import { msNow, msOf, timeOf } from './times.js';

export const stepControllerName = 'StepController';

export interface StepControllerOptions {
  /** What results are written to. */
  readonly state: State;
  readonly executors: Iterable<Executor>;
  /** The name of this process: new with each start. */
  readonly worker: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** How long what is asked to end has for that, before it is ended by force. Default: 10 000. */
  readonly graceMs?: number;
  /** After so long an attempt that goes on is told to be running. Default: 100. */
  readonly tellAfterMs?: number;
  /** Default: that of an engine which goes on. */
  readonly howToGive?: HowToGive;
  /** How logs are called for those who read of them. Default: relative to the folder of the engine's logs. */
  readonly logName?: (name: string) => string;
  /** Takes steps that ask for a worker. Undefined: this is the engine, which executes the others. */
  readonly claims?: StepClaims;
}

/**
 * Executes the attempts that are recorded in StepRuns for this process, and writes what became of them. A StepRun is
 * held by the controller's finalizer from its beginning until it is torn down and nothing of it executes.
 */
export class StepController implements QueueController<TypedPointer<StepRunSpec>> {
  readonly name = stepControllerName;
  readonly inputs = [primary(StepRun.kind)];
  readonly outputs = [shared(StepRun), shared(StepResult)];
  readonly concurrency = 64;

  readonly #options: StepControllerOptions;
  readonly #executors: ReadonlyMap<string, Executor>;
  readonly #running = new Map<string, RunningAttempt>();
  /** The newest attempt that ended in this process, of each StepRun that is still there. */
  readonly #ended = new Map<string, number>();
  readonly #writing = new AbortController();
  #isClosing = false;
  #queue: (pointer: Pointer) => void = () => undefined;

  constructor(options: StepControllerOptions) {
    this.#options = options;
    this.#executors = new Map(Array.from(options.executors, (executor) => [executor.name, executor]));
    this.#options.claims?.onRoom((id) => this.#queue(StepRun.at(id)));
  }

  runHook({ queue }: HookContext): void {
    this.#queue = queue;
  }

  /** The attempts that go on in this process. */
  get running(): number {
    return this.#running.size;
  }

  async reconcile(pointer: TypedPointer<StepRunSpec>, context: ReconcileContext): Promise<ReconcileResult> {
    const { state } = context;
    const running = this.#running.get(pointer.id);
    const stepRun = await state.find(pointer);
    if (stepRun === undefined) {
      running?.stop(new StopReason('lost', 'the step is gone'));
      this.#ended.delete(pointer.id);
      this.#options.claims?.forget(pointer.id);
      return undefined;
    }
    if (running !== undefined) {
      this.#checkRunning(running, stepRun);
      return undefined;
    }
    if (this.#isClosing) return undefined;
    if (stepRun.metadata.phase === 'tearingDown') return this.#letGo(stepRun, context);
    return this.#execute(stepRun, context);
  }

  /**
   * Ends what this process executes, without a word on what did not succeed: what has a process of its own goes on, and
   * is found by the next one of this kind; the rest is made again. Nothing new is begun.
   */
  async close(): Promise<void> {
    this.#isClosing = true;
    const running = [...this.#running.values()];
    for (const attempt of running) {
      attempt.leave();
      const executor = this.#executors.get(attempt.stepRun.spec.executor);
      if (executor?.recover === undefined) attempt.stop(new StopReason('lost', 'the engine ends'));
    }
    await Promise.all([...this.#executors.values()].map((executor) => executor.close?.()));
    await Promise.all(running.map(({ done }) => done));
    this.#writing.abort();
  }

  /** Nothing that goes on here counts any more. */
  loseAll(message: string): void {
    for (const attempt of this.#running.values()) attempt.stop(new StopReason('lost', message));
  }

  /** Something of the StepRun has changed while its attempt goes on here. */
  #checkRunning(running: RunningAttempt, { metadata, spec }: TypedResource<StepRunSpec>): void {
    if (spec.attempt > running.stepRun.spec.attempt || spec.worker !== this.#options.worker) {
      running.stop(new StopReason('lost', 'another attempt has taken its place'));
    } else if (metadata.phase === 'tearingDown') running.stop(new StopReason('cancelled', 'was cancelled'));
  }

  async #execute(stepRun: TypedResource<StepRunSpec>, context: ReconcileContext): Promise<ReconcileResult> {
    const { worker, claims } = this.#options;
    const { spec, metadata } = stepRun;
    if (spec.worker === '') {
      if (claims === undefined) return this.#checkUnclaimed(stepRun, context);
      const claimed = await claims.claim(stepRun, context);
      if (claimed !== undefined) await this.#start(claimed, context);
      return undefined;
    }
    const isMine = spec.worker === worker;
    if (!isMine && (claims !== undefined || isRemote(stepRun))) {
      claims?.forget(metadata.id);
      return undefined;
    }
    if (isMine) {
      // The name of the process is its own: nobody else has executed it.
      if ((this.#ended.get(metadata.id) ?? 0) < spec.attempt) await this.#start(stepRun, context);
      return undefined;
    }
    const result = await context.state.find(StepResult.at(metadata.id));
    if (result !== undefined && isRefused(result.spec, spec.attempt)) return undefined;
    await this.#recover(stepRun, msOf(result?.spec.startedAt), context);
    return undefined;
  }

  async #start(stepRun: TypedResource<StepRunSpec>, context: ReconcileContext): Promise<void> {
    const executor = this.#executors.get(stepRun.spec.executor);
    if (executor === undefined) {
      this.#ended.set(stepRun.metadata.id, stepRun.spec.attempt);
      await this.#fail(stepRun, 'rejected', `there is no executor ${stepRun.spec.executor} here`, context);
      return;
    }
    this.#run(stepRun, (attempt, how) => executor.execute(attempt, how));
  }

  /** An attempt that an earlier process of this engine had. */
  async #recover(stepRun: TypedResource<StepRunSpec>, startedMs: number | undefined, context: ReconcileContext) {
    const recovery = await this.#recovery(stepRun);
    if (recovery.found === 'unknown') {
      await this.#fail(stepRun, 'lost', 'the engine ended while it executed', context);
      return;
    }
    const mine = await this.#takeOver(stepRun, context);
    if (mine === undefined) return;
    if (recovery.found === 'running') {
      this.#run(mine, (_, how) => recovery.adopt(how), startedMs);
      return;
    }
    const { outcome, progress } = recovery;
    this.#run(
      mine,
      async (_, how) => {
        how.report(progress);
        return outcome;
      },
      startedMs,
      recovery.endedAt.getTime(),
    );
  }

  async #recovery(stepRun: TypedResource<StepRunSpec>): Promise<Recovery> {
    const executor = this.#executors.get(stepRun.spec.executor);
    return (await executor?.recover?.(attemptOf(stepRun))) ?? { found: 'unknown' };
  }

  /** Has the StepRun name this process. Undefined when another attempt was recorded meanwhile. */
  async #takeOver(stepRun: TypedResource<StepRunSpec>, { state }: ReconcileContext) {
    const { worker } = this.#options;
    const mine = await state.updateWithConflicts(
      StepRun.at(stepRun.metadata.id),
      ({ spec }) => {
        if (spec.attempt === stepRun.spec.attempt) spec.worker = worker;
      },
      { owner: '', expectedPhase: 'any' },
    );
    return mine.spec.attempt === stepRun.spec.attempt ? mine : undefined;
  }

  #run(
    stepRun: TypedResource<StepRunSpec>,
    execute: ConstructorParameters<typeof RunningAttempt>[1],
    startedMs?: number,
    endedMs?: number,
  ): void {
    const { id } = stepRun.metadata;
    const { state, clock, random, logger, worker, graceMs = 10_000, tellAfterMs = 100 } = this.#options;
    const { howToGive = ofEngine, logName = (name: string) => name } = this.#options;
    const signal = this.#writing.signal;
    const options = { state, clock, random, logger, worker, graceMs, tellAfterMs, signal, howToGive, logName };
    const attempt = new RunningAttempt(stepRun, execute, options, startedMs, endedMs);
    this.#running.set(id, attempt);
    if (stepRun.metadata.phase === 'tearingDown') attempt.stop(new StopReason('cancelled', 'was cancelled'));
    void attempt.done.then(() => {
      this.#running.delete(id);
      this.#ended.set(id, stepRun.spec.attempt);
      this.#options.claims?.giveBack(id);
      // It may have been torn down, or another attempt recorded, while this one went on.
      if (attempt.wasStopped) this.#queue(StepRun.at(id));
    });
  }

  /** A StepRun that is torn down, and of which nothing executes here. */
  async #letGo(stepRun: TypedResource<StepRunSpec>, context: ReconcileContext): Promise<void> {
    const { claims, worker } = this.#options;
    const { spec, metadata } = stepRun;
    const isMine = spec.worker === worker;
    const isUnclaimed = spec.worker === '';
    claims?.forget(metadata.id);
    if (!isMine && (claims !== undefined || (isRemote(stepRun) && !isUnclaimed))) return;
    const result = await context.state.find(StepResult.at(metadata.id));
    if (result === undefined || !isRefused(result.spec, spec.attempt)) {
      const startedMs = msOf(result?.spec.startedAt);
      if (!isMine && !isUnclaimed && (await this.#recovery(stepRun)).found !== 'unknown') {
        // It still goes on, or ended well: it is taken over, and asked to end.
        await this.#recover(stepRun, startedMs, context);
        return;
      }
      await this.#write(stepRun, 'cancelled', 'cancelled', 'was cancelled', startedMs);
    }
    if (metadata.finalizers.includes(this.name)) await context.state.removeFinalizer(metadata);
  }

  /** A step that asks for a worker, which none has taken: its time can be up. */
  async #checkUnclaimed(stepRun: TypedResource<StepRunSpec>, context: ReconcileContext): Promise<ReconcileResult> {
    const deadlineMs = msOf(stepRun.spec.deadlineAt);
    if (deadlineMs === undefined) return undefined;
    const leftMs = deadlineMs - msNow(this.#options.clock);
    if (leftMs > 0) return requeueAfter(leftMs);
    await this.#fail(stepRun, 'timeout', 'no worker has taken it in time', context);
    return undefined;
  }

  async #fail(stepRun: TypedResource<StepRunSpec>, reason: string, message: string, { logger }: ReconcileContext) {
    if (await this.#write(stepRun, 'failed', reason, message)) logger.info({ reason, message }, 'an attempt failed');
  }

  #write(stepRun: TypedResource<StepRunSpec>, state: string, reason: string, message: string, startedMs?: number) {
    const nowMs = msNow(this.#options.clock);
    const error = create(StepErrorSchema, { reason, message });
    const { worker } = stepRun.spec;
    const result: AttemptResult = {
      state,
      error,
      worker,
      endedAt: timeOf(nowMs),
      startedAt: timeOf(startedMs ?? nowMs),
    };
    return writeResult(this.#options.state, stepRun, result);
  }
}

/** Whether only a worker may execute it. */
function isRemote({ metadata }: TypedResource<StepRunSpec>): boolean {
  return Object.keys(metadata.labels).some((name) => name.startsWith(labels.runsOn));
}
