import type { Logger } from '../logger.js';
import type { ReportedError } from '../report.js';

export interface TaskContext<S> {
  readonly id: string;
  readonly spec: S;
  /** Aborts when the task is to end: it is wanted no more, wanted otherwise, or its runner is closed. */
  readonly signal: AbortSignal;
  /** Names the task in every record. */
  readonly logger: Logger;
  /** 1, and one more for each failure in a row. */
  readonly attempt: number;
  /** The next failure is followed by the shortest delay again. */
  resetRestartBackoff(): void;
}

/**
 * What a task does until its signal aborts. When it throws, that is logged, and it is called again after a backoff
 * without end. When it returns by itself, the task has ended, and is started again only with another spec.
 */
export type TaskFunction<S> = (context: TaskContext<S>) => Promise<void> | void;

/** How a task is doing: plain data, taken at one moment. */
export interface TaskReport {
  readonly id: string;
  /**
   * Waiting: it failed, and is started again after a backoff. Ended: it returned by itself. Stopping: it was told to
   * end. Stuck: it was, and has not for the grace time.
   */
  readonly status: 'running' | 'waiting' | 'ended' | 'stopping' | 'stuck';
  /** Since when it has had this status; RFC 3339. */
  readonly since: string;
  /** How often it was started again after it threw, with the spec that it has. */
  readonly restarts: number;
  /** The latest failure, with whatever spec. */
  readonly lastError: ReportedError | undefined;
}
