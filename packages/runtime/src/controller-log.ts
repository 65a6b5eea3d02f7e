import { type Pointer, pointerKey, Timestamp } from '@cosi-ts/resource';
import type { Clock } from '@cosi-ts/state';
import type { Logger } from './logger.js';
import type { ControllerCounts, ReportedError } from './report.js';
import { errorOf } from './thrown.js';

const mostErrors = 10_000;

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
    reconcileBusyMs: 0,
    mapBusyMs: 0,
    escaped: 0,
    reads: 0,
    writes: 0,
  };
  readonly #clock: Clock;
  /** Of resources that the latest work on failed; the oldest are forgotten when there are too many. */
  readonly #errors = new Map<string, ReportedError>();
  #lastError: ReportedError | undefined;
  #lastActivityMs: number | undefined;

  constructor(logger: Logger, clock: Clock) {
    this.logger = logger;
    this.#clock = clock;
  }

  get lastError(): ReportedError | undefined {
    return this.#lastError;
  }

  /** When it did something last. RFC 3339. */
  get lastActivity(): string | undefined {
    if (this.#lastActivityMs === undefined) return undefined;
    const ageMs = Math.max(0, this.#clock.monotonicMs() - this.#lastActivityMs);
    return timeBefore(this.#clock.now(), ageMs).toString();
  }

  /** It did something at that time of the monotonic clock. */
  active(nowMs: number): void {
    this.#lastActivityMs = nowMs;
  }

  /** The latest failure of the work on a resource, unless it went well since. */
  errorOn(resource: Pointer): ReportedError | undefined {
    return this.#errors.get(pointerKey(plainPointer(resource)));
  }

  /** The work on the resource went well. */
  recovered(resource: Pointer): void {
    if (this.#errors.size > 0) this.#errors.delete(pointerKey(plainPointer(resource)));
  }

  /** The work on all resources went well. */
  allRecovered(): void {
    this.#errors.clear();
  }

  /** Notes a failure that is logged as part of another one. */
  failedOn(thrown: unknown, resource: Pointer): void {
    this.#keep(this.#reported(errorOf(thrown), resource), resource);
  }

  /** Logs a failure with its stack. */
  failure(thrown: unknown, message: string, facts: Record<string, unknown> = {}, resource?: Pointer): void {
    const err = errorOf(thrown);
    this.#lastError = this.#reported(err, resource);
    if (resource !== undefined) this.#keep(this.#lastError, resource);
    this.logger.error({ err, ...facts }, message);
  }

  #reported(err: Error, resource: Pointer | undefined): ReportedError {
    return Object.freeze({
      message: err.message,
      stack: err.stack,
      at: this.#clock.now().toString(),
      resource: resource === undefined ? undefined : plainPointer(resource),
    });
  }

  #keep(error: ReportedError, resource: Pointer): void {
    const key = pointerKey(plainPointer(resource));
    this.#errors.delete(key);
    this.#errors.set(key, error);
    if (this.#errors.size <= mostErrors) return;
    for (const oldest of this.#errors.keys()) {
      this.#errors.delete(oldest);
      return;
    }
  }
}

function timeBefore({ seconds, nanos }: Timestamp, ageMs: number): Timestamp {
  const left = nanos - Math.round((ageMs % 1000) * 1_000_000);
  const whole = seconds - Math.floor(ageMs / 1000);
  return left < 0 ? new Timestamp(whole - 1, left + 1_000_000_000) : new Timestamp(whole, left);
}

function plainPointer(pointer: Pointer): Pointer {
  return Object.freeze({ namespace: pointer.namespace, type: pointer.type, id: pointer.id });
}
