import { SvelteMap } from 'svelte/reactivity';
import type { ExecutionDetail, ExecutionView } from '../http/execution-view.js';
import { ApiError, get, stepPath } from './api.js';
import type { TimelineRow } from './timeline-rows.js';

/** One bar of the timeline. */
export interface AttemptSpan {
  readonly attempt: number;
  readonly state: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

interface Known {
  readonly execution: ExecutionView;
  readonly past: readonly AttemptSpan[];
}

const pageSize = 100;
/** What goes on is read again so often at most. */
const intervalMs = 700;

/** The attempts of the executions that are in sight: those of steps with items are read in pages. */
export class Attempts {
  readonly #run: string;
  readonly #known = new SvelteMap<string, Known>();
  readonly #stale = new Set<string>();
  readonly #end = new AbortController();
  #wanted: readonly TimelineRow[] = [];
  #isBusy = false;

  constructor(run: string) {
    this.#run = run;
  }

  /** What is known of them, the oldest first. */
  of(step: string, index: number, newest?: ExecutionView): readonly AttemptSpan[] {
    const known = this.#known.get(keyOf({ step, index }));
    const execution = newest ?? known?.execution;
    if (execution === undefined) return [];
    return [...(known?.past ?? []).filter(({ attempt }) => attempt < execution.attempt), newestOf(execution)];
  }

  /** Those are in sight now. */
  want(rows: readonly TimelineRow[]): void {
    this.#wanted = rows;
    void this.#read();
  }

  /** Those have changed; without indices any of the step may have. */
  forget(step: string, indices: ReadonlySet<number> | undefined): void {
    for (const row of this.#wanted) {
      if (row.step === step && (indices?.has(row.index) ?? true)) this.#stale.add(keyOf(row));
    }
    void this.#read();
  }

  stop(): void {
    this.#end.abort();
  }

  async #read(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    const { signal } = this.#end;
    while (!signal.aborted) {
      const missing = this.#wanted.filter((row) => !this.#known.has(keyOf(row)) || this.#stale.has(keyOf(row)));
      if (missing.length === 0) break;
      for (const row of missing) this.#stale.delete(keyOf(row));
      try {
        for (const step of new Set(missing.map((row) => row.step))) {
          await this.#readStep(
            step,
            missing.filter((row) => row.step === step),
            signal,
          );
        }
      } catch (error) {
        if (signal.aborted) break;
        // It is tried again: what does not answer now may do so later.
        if (!(error instanceof ApiError)) throw error;
        for (const row of missing) this.#stale.add(keyOf(row));
      }
      await new Promise((resolve) => setTimeout(resolve, intervalMs));
    }
    this.#isBusy = false;
  }

  async #readStep(step: string, rows: readonly TimelineRow[], signal: AbortSignal): Promise<void> {
    const path = `${stepPath(this.#run, step)}/executions`;
    for (const page of new Set(rows.map(({ index }) => Math.max(0, Math.floor(index / pageSize))))) {
      const query = `offset=${page * pageSize}&limit=${pageSize}`;
      const { executions } = await get<{ executions: readonly ExecutionView[] }>(`${path}?${query}`, signal);
      for (const execution of executions) {
        const key = keyOf(execution);
        const before = this.#known.get(key)?.past ?? [];
        const isInSight = rows.some(({ index }) => index === execution.index);
        const past =
          isInSight && execution.attempt > before.length + 1 ? await this.#past(path, execution, signal) : before;
        this.#known.set(key, { execution, past });
      }
    }
    // Those that have not begun have nothing to show, until something is told of them.
    for (const row of rows) {
      const key = keyOf(row);
      if (!this.#known.has(key)) this.#known.set(key, { execution: notBegun(row), past: [] });
    }
  }

  async #past(path: string, { index }: ExecutionView, signal: AbortSignal): Promise<readonly AttemptSpan[]> {
    const { past } = await get<ExecutionDetail>(`${path}/${index < 0 ? '-' : index}`, signal);
    return past.map((each) => ({ ...each, state: each.error === null ? 'cancelled' : 'failed' }));
  }
}

function newestOf({ attempt, state, attemptStartedAt, attemptEndedAt }: ExecutionView): AttemptSpan {
  return { attempt, state, startedAt: attemptStartedAt, endedAt: attemptEndedAt };
}

const keyOf = ({ step, index }: TimelineRow): string => `${step} ${index}`;

function notBegun({ step, index }: TimelineRow): ExecutionView {
  return {
    step,
    index,
    state: 'pending',
    attempt: 0,
    startedAt: null,
    endedAt: null,
    attemptStartedAt: null,
    attemptEndedAt: null,
    error: null,
    hasLog: false,
    elsewhere: null,
    worker: '',
    waitingFor: '',
    waitingUntil: null,
  };
}
