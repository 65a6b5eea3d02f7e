import { type Pointer, pointerText } from '@cosi-ts/resource';
import { backoffDelayMs, checkDelay } from '@cosi-ts/state';
import type { Span } from '@opentelemetry/api';
import type { Attribution, EscapeTarget } from './attribution.js';
import type { ControllerLog } from './controller-log.js';
import { Deadlines } from './deadlines.js';
import { Job, type JobSite } from './job.js';
import type { LoopWatch } from './loop-watch.js';
import type { QueueItem } from './queue-item.js';
import { endSpan, type ReconcileSpans, within } from './reconcile-spans.js';
import { isRequeue, isSkip, type ReconcileResult } from './requeue.js';
import { DeadlineError } from './runtime-errors.js';
import type { ResolvedRuntimeOptions } from './runtime-options.js';
import { errorOf } from './thrown.js';
import type { Turns } from './turns.js';
import type { WorkQueue } from './work-queue.js';

/** What workers do with items. */
export interface Craft<J, T> {
  pointer(item: QueueItem<J, T>): Pointer;
  /** Whether the work went by the change already that came while it went on. */
  hasSeen(change: T, job: Job): boolean;
  what(item: QueueItem<J, T>): 'reconcile' | 'map';
  /** May throw, now or later. */
  work(item: QueueItem<J, T>, pointer: Pointer, job: Job): Promise<ReconcileResult> | ReconcileResult;
}

export interface WorkersSetup {
  readonly site: JobSite;
  readonly log: ControllerLog;
  readonly options: ResolvedRuntimeOptions;
  readonly turns: Turns;
  readonly attribution: Attribution;
  readonly target: EscapeTarget;
  readonly loop: LoopWatch;
  readonly spans: ReconcileSpans;
  readonly concurrency: number;
  readonly deadlineMs: number;
}

interface Work<J, T> {
  readonly item: QueueItem<J, T>;
  readonly pointer: Pointer;
  readonly job: Job;
  readonly what: 'reconcile' | 'map';
  readonly beganMs: number;
  readonly span: Span | undefined;
}

/** Takes items off a queue, works on so many at once, and decides what becomes of each. */
export class ItemWorkers<J, T> {
  readonly #queue: WorkQueue<J, T>;
  readonly #craft: Craft<J, T>;
  readonly #setup: WorkersSetup;
  readonly #deadlines: Deadlines<Work<J, T>>;
  readonly #overdue = new Set<Work<J, T>>();
  #open = false;
  #stopping = false;
  #busy = 0;
  #pumpIsDue = false;
  #onIdle: (() => void) | undefined;

  constructor(queue: WorkQueue<J, T>, craft: Craft<J, T>, setup: WorkersSetup) {
    this.#queue = queue;
    this.#craft = craft;
    this.#setup = setup;
    this.#deadlines = new Deadlines(setup.options.clock, setup.deadlineMs, (work) => this.#expire(work));
  }

  /** What has gone on past its deadline although its signal aborted. */
  get overdue(): readonly Pointer[] {
    return [...this.#overdue].map(({ pointer }) => pointer);
  }

  /** What is being worked on, overdue or not. */
  get current(): readonly Pointer[] {
    return [...this.#deadlines, ...this.#overdue].map(({ pointer }) => pointer);
  }

  start(): void {
    this.#open = true;
    this.wake();
  }

  /** To be called when an item has become ready. Whoever made it so goes on first. */
  wake(): void {
    if (!this.#open || this.#pumpIsDue || this.#busy >= this.#setup.concurrency) return;
    this.#pumpAfter(Promise.resolve());
  }

  /** Takes no more items, and aborts the work on those that were taken. Resolves when all have ended. */
  async stop(reason: unknown): Promise<void> {
    this.#open = false;
    this.#stopping = true;
    this.#deadlines.close();
    for (const { job } of [...this.#deadlines, ...this.#overdue]) this.#abort(job, reason);
    if (this.#queue.running === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  #pumpAfter(promise: Promise<void>): void {
    this.#pumpIsDue = true;
    void promise.then(() => {
      this.#pumpIsDue = false;
      this.#pump();
    });
  }

  #pump(): void {
    const { concurrency, turns } = this.#setup;
    while (this.#open && !this.#pumpIsDue && this.#busy < concurrency && this.#queue.ready > 0) {
      if (turns.due()) {
        this.#pumpAfter(turns.next());
        return;
      }
      const item = this.#queue.take();
      if (item !== undefined) this.#begin(item);
    }
  }

  #begin(item: QueueItem<J, T>): void {
    const { site, attribution, target, loop, spans, log } = this.#setup;
    const pointer = this.#craft.pointer(item);
    const job = new Job(site, item.failures + 1, () => ({ resource: pointerText(pointer) }));
    const what = this.#craft.what(item);
    const span = what === 'reconcile' ? spans.begin(job.attempt, pointer) : undefined;
    const work = { item, pointer, job, what, beganMs: loop.begin(), span };
    this.#busy++;
    log.active(work.beganMs);
    this.#deadlines.begin(work, work.beganMs);
    let requeueAfterMs: number | undefined;
    try {
      const result = attribution.run(target, () => within(span, () => this.#craft.work(item, pointer, job)));
      if (isThenable(result)) {
        loop.seen(site.scope.controller);
        void this.#follow(work, result);
        return;
      }
      requeueAfterMs = requeueOf(result);
    } catch (error) {
      this.#fail(work, error);
      return;
    }
    this.#succeed(work, requeueAfterMs);
  }

  async #follow(work: Work<J, T>, result: Promise<ReconcileResult>): Promise<void> {
    let requeueAfterMs: number | undefined;
    try {
      requeueAfterMs = requeueOf(await result);
    } catch (error) {
      this.#fail(work, error);
      this.#pump();
      return;
    }
    this.#succeed(work, requeueAfterMs);
    this.#pump();
  }

  /** True when the work ended within its time; else what it gave counts no more. */
  #leave(work: Work<J, T>): boolean {
    const { loop, site, log } = this.#setup;
    const nowMs = loop.seen(site.scope.controller);
    log.active(nowMs);
    log.counts[work.what === 'map' ? 'mapBusyMs' : 'reconcileBusyMs'] += nowMs - work.beganMs;
    work.job.end();
    if (this.#deadlines.end(work)) {
      this.#busy--;
      return true;
    }
    this.#overdue.delete(work);
    log.logger.warn({ resource: pointerText(work.pointer) }, 'work past its deadline has ended');
    this.#queue.fail(work.item, this.#backoffMs(work.item));
    this.#checkIdle();
    return false;
  }

  #succeed(work: Work<J, T>, requeueAfterMs: number | undefined): void {
    if (!this.#leave(work)) return;
    const { log } = this.#setup;
    log.recovered(work.pointer);
    endSpan(work.span, requeueAfterMs === undefined ? 'done' : 'requeued');
    if (requeueAfterMs === undefined) this.#queue.done(work.item, this.#seenBy(work));
    else {
      log.counts.requeued++;
      this.#queue.requeue(work.item, requeueAfterMs, this.#seenBy(work));
    }
    this.#checkIdle();
  }

  #fail(work: Work<J, T>, thrown: unknown): void {
    if (!this.#leave(work)) return;
    const { item, job, pointer, span } = work;
    const { log } = this.#setup;
    const error = errorOf(thrown);
    if (this.#stopping && job.endedBy(thrown)) {
      endSpan(span, 'aborted');
      this.#queue.done(item);
    } else if (isSkip(error)) {
      log.counts.skipped++;
      log.recovered(pointer);
      endSpan(span, 'skipped');
      this.#queue.done(item, this.#seenBy(work));
      job.logger.info({ reason: error.message }, 'skipped');
    } else if (isRequeue(error) && error.cause === undefined) {
      log.counts.requeued++;
      log.recovered(pointer);
      endSpan(span, 'requeued');
      this.#queue.requeue(item, error.requeueAfterMs, this.#seenBy(work));
    } else if (isRequeue(error)) {
      log.counts.requeued++;
      this.#failAfter(work, error.cause, error.requeueAfterMs);
    } else {
      this.#failAfter(work, error, this.#backoffMs(item));
    }
    this.#checkIdle();
  }

  #failAfter(work: Work<J, T>, error: unknown, retryInMs: number): void {
    const { item, pointer, job, span } = work;
    const { log } = this.#setup;
    log.counts.failed++;
    endSpan(span, 'failed', errorOf(error));
    this.#queue.fail(item, retryInMs, this.#seenBy(work));
    log.failure(error, 'failed', { resource: pointerText(pointer), attempt: job.attempt, retryInMs }, pointer);
  }

  /** Past its deadline: others go on in its place, and it is not taken again before it has ended. */
  #expire(work: Work<J, T>): void {
    const { log, deadlineMs } = this.#setup;
    const { pointer, job } = work;
    this.#busy--;
    this.#overdue.add(work);
    log.counts.timedOut++;
    log.counts.failed++;
    const error = new DeadlineError(deadlineMs, pointer);
    endSpan(work.span, 'timed out', error);
    log.failure(error, 'timed out', { resource: pointerText(pointer), attempt: job.attempt }, pointer);
    this.#abort(job, error);
    this.wake();
  }

  /** What listeners of the signal throw is the controller's. */
  #abort(job: Job, reason: unknown): void {
    const { attribution, target } = this.#setup;
    attribution.run(target, () => job.abort(reason));
  }

  #backoffMs(item: QueueItem<J, T>): number {
    const { backoff, random } = this.#setup.options;
    return backoffDelayMs(backoff, item.failures, random);
  }

  #seenBy({ job }: Work<J, T>): (change: T) => boolean {
    return (change) => this.#craft.hasSeen(change, job);
  }

  #checkIdle(): void {
    if (this.#queue.running === 0) this.#onIdle?.();
  }
}

/** Throws a `RangeError` for a requeue that can never be. */
function requeueOf(result: ReconcileResult): number | undefined {
  const { requeueAfterMs } = result ?? {};
  return requeueAfterMs === undefined ? undefined : checkDelay(requeueAfterMs);
}

function isThenable<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Promise<T>>).then === 'function';
}
