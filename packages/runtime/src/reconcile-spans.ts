import type { Pointer } from '@cosi-ts/resource';
import { pointerText } from '@cosi-ts/resource';
import { context, type Span, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';

/** How a reconcile ended, as its span says. */
export type Outcome = 'done' | 'requeued' | 'skipped' | 'failed' | 'timed out' | 'aborted';

/** One span for each reconcile of a controller. Nothing is made while nobody collects. */
export class ReconcileSpans {
  readonly #tracer: Tracer;
  readonly #options;

  constructor(controller: string, tracer: Tracer = trace.getTracer('@cosi-ts/runtime')) {
    this.#tracer = tracer;
    this.#options = Object.freeze({ attributes: Object.freeze({ 'cosi.controller': controller }) });
  }

  /** Undefined when nobody collects. */
  begin(attempt: number, resource?: Pointer): Span | undefined {
    const span = this.#tracer.startSpan('reconcile', this.#options);
    if (!span.isRecording()) return undefined;
    span.setAttribute('cosi.attempt', attempt);
    if (resource !== undefined) span.setAttribute('cosi.resource', pointerText(resource));
    return span;
  }
}

/** Spans that the call begins are within this one. */
export function within<T>(span: Span | undefined, call: () => T): T {
  return span === undefined ? call() : context.with(trace.setSpan(context.active(), span), call);
}

export function endSpan(span: Span | undefined, outcome: Outcome, error?: Error): void {
  if (span === undefined) return;
  span.setAttribute('cosi.outcome', outcome);
  if (error !== undefined) {
    span.recordException(error);
    span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
  }
  span.end();
}
