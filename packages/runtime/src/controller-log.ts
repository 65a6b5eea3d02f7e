import type { Pointer } from '@cosi-ts/resource';
import type { Clock } from '@cosi-ts/state';
import type { Logger } from './logger.js';
import type { ControllerCounts, ReportedError } from './report.js';
import { errorOf } from './thrown.js';

type Counts = { -readonly [K in keyof ControllerCounts]: ControllerCounts[K] };

/** What happened to one controller: counted, logged, and the last failure kept for reports. */
export class ControllerLog {
  readonly logger: Logger;
  readonly counts: Counts = {
    reconciled: 0,
    failed: 0,
    timedOut: 0,
    skipped: 0,
    requeued: 0,
    mappedIn: 0,
    mappedOut: 0,
    escaped: 0,
    reads: 0,
    writes: 0,
  };
  readonly #clock: Clock;
  #lastError: ReportedError | undefined;

  constructor(logger: Logger, clock: Clock) {
    this.logger = logger;
    this.#clock = clock;
  }

  get lastError(): ReportedError | undefined {
    return this.#lastError;
  }

  /** Logs a failure with its stack. */
  failure(thrown: unknown, message: string, facts: Record<string, unknown> = {}, resource?: Pointer): void {
    const err = errorOf(thrown);
    this.#lastError = Object.freeze({
      message: err.message,
      stack: err.stack,
      at: this.#clock.now().toString(),
      resource: resource === undefined ? undefined : plainPointer(resource),
    });
    this.logger.error({ err, ...facts }, message);
  }
}

function plainPointer(pointer: Pointer): Pointer {
  return Object.freeze({ namespace: pointer.namespace, type: pointer.type, id: pointer.id });
}
