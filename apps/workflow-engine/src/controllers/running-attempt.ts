import { create } from '@bufbuild/protobuf';
import { InvalidArgumentError, isNotFound, type JsonValue, type TypedResource } from '@cosi-ts/resource';
import type { Logger } from '@cosi-ts/runtime';
import { Backoff, type Clock, type Random, type State, sleep, type Timer } from '@cosi-ts/state';
import { durationText } from '../definition/duration.js';
import { type Attempt, type ExecutionContext, type Outcome, type Progress, StopReason } from '../executors/executor.js';
import { StepErrorSchema, type StepRunSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import type { HowToGive } from '../how-to-give.js';
import { Secret } from '../resources/index.js';
import { outputsText } from './outputs-text.js';
import { type AttemptResult, writeResult } from './step-results.js';
import { msNow, msOf, timeOf } from './times.js';

export interface RunningAttemptOptions {
  readonly state: State;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The name of this process. */
  readonly worker: string;
  readonly graceMs: number;
  /** After so long an attempt that goes on is told to be running. */
  readonly tellAfterMs: number;
  /** Aborts when nothing is to be written any more. */
  readonly signal: AbortSignal;
  readonly howToGive: HowToGive;
  /** How the log is called for those who read of it. */
  readonly logName: (name: string) => string;
}

/** An outcome as it is kept. */
type End = { readonly state: 'succeeded'; readonly outputs: string } | Exclude<Outcome, { state: 'succeeded' }>;

/** Messages quote what programs say, which can be of any length. */
const longestMessage = 4000;

/** One attempt while this process executes it: its time limits, what is told of it, and its end. */
export class RunningAttempt {
  readonly stepRun: TypedResource<StepRunSpec>;
  /** Resolves when nothing of the attempt goes on any more, and what became of it is written, or is not to be. */
  readonly done: Promise<void>;
  readonly #options: RunningAttemptOptions;
  readonly #stop = new AbortController();
  readonly #timers: Timer[] = [];
  readonly #startedMs: number;
  readonly #endedMs: number | undefined;
  #progress: Progress = {};
  #telling: Promise<unknown> = Promise.resolve();
  #isTold = false;
  /** Whether something of the execution is written. */
  #isWritten: boolean;
  #hasEnded = false;
  #isLeft = false;

  /**
   * @param startedMs when the attempt began, of one that another process began
   * @param execute does it
   * @param endedMs when it ended, of one that is over already
   */
  constructor(
    stepRun: TypedResource<StepRunSpec>,
    execute: (attempt: Attempt, context: ExecutionContext) => Promise<Outcome>,
    options: RunningAttemptOptions,
    startedMs?: number,
    endedMs?: number,
  ) {
    this.stepRun = stepRun;
    this.#endedMs = endedMs;
    this.#isWritten = stepRun.spec.attempt > 1;
    this.#options = options;
    const { clock, tellAfterMs } = options;
    const nowMs = msNow(clock);
    this.#startedMs = startedMs ?? nowMs;
    const { timeoutMs, deadlineAt } = stepRun.spec;
    const ownMs = timeoutMs > 0n ? this.#startedMs + Number(timeoutMs) : Number.POSITIVE_INFINITY;
    const allMs = msOf(deadlineAt) ?? Number.POSITIVE_INFINITY;
    const endMs = Math.min(ownMs, allMs);
    if (Number.isFinite(endMs)) {
      const text =
        ownMs <= allMs ? `took longer than ${durationText(Number(timeoutMs))}` : 'its attempts took too long together';
      this.#timers.push(clock.schedule(Math.max(0, endMs - nowMs), () => this.stop(new StopReason('timeout', text))));
    }
    this.#timers.push(clock.schedule(tellAfterMs, () => this.#tell()));
    this.done = this.#run(execute);
  }

  get wasStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Has it end before it is done. The first reason counts, but what is lost has no other result than a success. */
  stop(reason: StopReason): void {
    if (reason.reason === 'lost') this.leave();
    this.#stop.abort(reason);
  }

  /** Whatever becomes of it now, only a success is written: it is found again, or made again. */
  leave(): void {
    this.#isLeft = true;
  }

  async #run(execute: (attempt: Attempt, context: ExecutionContext) => Promise<Outcome>): Promise<void> {
    const outcome = await this.#outcome(execute);
    this.#hasEnded = true;
    for (const timer of this.#timers) timer.cancel();
    await this.#telling;
    const isDropped = this.#isLeft && outcome.state === 'failed';
    if (!isDropped)
      await this.#write(this.#result(outcome), 'the result of an attempt cannot be written, and is tried again');
  }

  async #outcome(execute: (attempt: Attempt, context: ExecutionContext) => Promise<Outcome>): Promise<End> {
    const { graceMs } = this.#options;
    const context: ExecutionContext = {
      signal: this.#stop.signal,
      graceMs,
      report: (progress) => this.#report(progress),
      secret: (name, key) => this.#secret(name, key),
    };
    try {
      return endOf(await execute(attemptOf(this.stepRun), context));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { state: 'failed', reason: 'error', message };
    }
  }

  #result(outcome: End): AttemptResult {
    const endedAt = timeOf(this.#endedMs ?? msNow(this.#options.clock));
    const known = { ...this.#known(), endedAt };
    if (outcome.state === 'succeeded') return { ...known, state: 'succeeded', outputs: outcome.outputs };
    const stop = this.#stop.signal.reason as StopReason | undefined;
    const { reason, exitCode } = outcome;
    const message = outcome.message.slice(0, longestMessage);
    if (stop?.reason === 'cancelled') {
      return {
        ...known,
        state: 'cancelled',
        error: create(StepErrorSchema, { reason: 'cancelled', message: stop.message }),
      };
    }
    const error = stop?.reason === 'timeout' ? { reason: 'timeout', message: stop.message } : { reason, message };
    return {
      ...known,
      state: 'failed',
      error: create(StepErrorSchema, exitCode === undefined ? error : { ...error, exitCode }),
    };
  }

  #known(): AttemptResult {
    const { pid, log } = this.#progress;
    return {
      worker: this.#options.worker,
      startedAt: timeOf(this.#startedMs),
      ...(pid === undefined ? {} : { pid }),
      ...(log === undefined ? {} : { log: this.#options.logName(log) }),
    };
  }

  #report(progress: Progress): void {
    this.#progress = { ...this.#progress, ...progress };
    if (this.#isTold) this.#tell();
  }

  /** Writes that it goes on, and what is known of it. */
  #tell(): void {
    if (this.#hasEnded) return;
    this.#isTold = true;
    const before = this.#telling;
    this.#telling = before.then(async () => {
      if (this.#hasEnded) return;
      await this.#write({ ...this.#known(), state: 'running' }, 'what goes on cannot be written, and is tried again');
    });
  }

  /** Writes until it is written, or refused, or nothing is to be written any more. */
  async #write(result: AttemptResult, complaint: string): Promise<void> {
    const { state, signal, clock, random, logger, worker } = this.#options;
    let backoff: Backoff | undefined;
    const { id } = this.stepRun.metadata;
    while (!signal.aborted) {
      try {
        if (await writeResult(state, this.stepRun, result, this.#isWritten)) {
          this.#isWritten = true;
          return;
        }
        logger.warn({ attempt: this.stepRun.spec.attempt, id, worker }, 'the result of an old attempt was refused');
        this.stop(new StopReason('lost', 'another attempt has taken its place'));
        return;
      } catch (error) {
        // What is left is made again, or found again: its end is not waited for.
        if (signal.aborted || this.#isLeft) return;
        logger.warn({ err: error, id }, complaint);
        backoff ??= new Backoff(random);
        await sleep(clock, backoff.nextMs());
      }
    }
  }

  async #secret(name: string, key: string): Promise<string> {
    const secret = await this.#options.state.get(Secret.at(name)).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
      return undefined;
    });
    const values = secret?.spec.values ?? {};
    const text = Object.hasOwn(values, key) ? values[key] : undefined;
    if (text !== undefined) return text;
    const what = secret === undefined ? `there is no secret ${name}` : `the secret ${name} has no key ${key}`;
    throw new InvalidArgumentError(`${what}: ${this.#options.howToGive.secret(name, key)}`);
  }
}

/** What cannot be kept is a failure: without an end the attempt would go on for ever. */
function endOf(outcome: Outcome): End {
  if (outcome.state !== 'succeeded') return outcome;
  try {
    return { state: 'succeeded', outputs: outputsText(outcome.outputs) };
  } catch (error) {
    return { state: 'failed', reason: 'rejected', message: `the outputs cannot be kept: ${(error as Error).message}` };
  }
}

export function attemptOf({ metadata, spec }: TypedResource<StepRunSpec>): Attempt {
  const { run, step, index, attempt, idempotencyKey } = spec;
  const action = spec.action === '' ? null : (JSON.parse(spec.action) as JsonValue);
  return { id: metadata.id, run, step, index, attempt, idempotencyKey, action };
}
