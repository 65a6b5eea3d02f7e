import type { Span } from '@opentelemetry/api';
import type { ControllerLog } from './controller-log.js';
import type { LoopWatch } from './loop-watch.js';
import { endSpan, type ReconcileSpans } from './reconcile-spans.js';
import { FailedInputsError } from './runtime-errors.js';
import { errorOf } from './thrown.js';

/** The work on one reconcile event, from its taking until the next is asked for: measured, counted and traced. */
export class EventWork {
  readonly #controller: string;
  readonly #log: ControllerLog;
  readonly #loop: LoopWatch;
  readonly #spans: ReconcileSpans;
  #begun: { readonly atMs: number; readonly span: Span | undefined } | undefined;

  constructor(controller: string, log: ControllerLog, loop: LoopWatch, spans: ReconcileSpans) {
    this.#controller = controller;
    this.#log = log;
    this.#loop = loop;
    this.#spans = spans;
  }

  begin(attempt: number): void {
    const atMs = this.#loop.begin();
    this.#begun = { atMs, span: this.#spans.begin(attempt) };
    this.#log.counts.reconciled++;
    this.#log.active(atMs);
  }

  done(): void {
    const span = this.#end();
    endSpan(span, 'done');
    this.#log.allRecovered();
  }

  /** Also of a run that failed before or between events. */
  fail(thrown: unknown): void {
    const error = errorOf(thrown);
    endSpan(this.#end(), 'failed', error);
    if (!(error instanceof FailedInputsError)) return;
    for (const { resource, error: cause } of error.failures) this.#log.failedOn(cause, resource);
  }

  /** The run is over, well or because it was told to end. */
  leave(): void {
    endSpan(this.#end(), 'aborted');
  }

  #end(): Span | undefined {
    const nowMs = this.#loop.seen(this.#controller);
    this.#log.active(nowMs);
    const begun = this.#begun;
    if (begun === undefined) return undefined;
    this.#begun = undefined;
    this.#log.counts.reconcileBusyMs += nowMs - begun.atMs;
    return begun.span;
  }
}
