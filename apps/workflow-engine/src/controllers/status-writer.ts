import { create } from '@bufbuild/protobuf';
import type { TypedDraft } from '@cosi-ts/resource';
import type { ControllerState } from '@cosi-ts/runtime';
import type { RunOutcome } from '../engine/run-outcome.js';
import type { StepCounts } from '../engine/step-model.js';
import { type RunStatusSpec, StepSummarySchema } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { RunStatus } from '../resources/index.js';
import type { RunState } from '../resources/states.js';
import { timeOf } from './times.js';

/** What is told of a run. What is undefined stays as it is. */
export interface RunReport {
  readonly state: RunState;
  readonly message?: string;
  readonly retries: number;
  readonly concurrencyKey?: string;
  /** When it began, or began again; null: it did not. */
  readonly startedMs?: number | null;
  readonly endedMs?: number;
  readonly outputs?: string;
  readonly steps?: Iterable<StepCounts>;
}

export interface StatusWriterOptions {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
  /** How long after a write the next one waits, unless the state of the run changes. */
  readonly intervalMs: () => number;
}

/** Writes the status of one run: at once when its state changes, and else not too often. */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  #state: RunState | undefined;
  #writtenMs = Number.NEGATIVE_INFINITY;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** In how many milliseconds it is time to write; 0: now. */
  dueInMs(state: RunState, nowMs: number): number {
    return state === this.#state ? Math.max(0, this.#writtenMs + this.#options.intervalMs() - nowMs) : 0;
  }

  async write(report: RunReport, nowMs: number, state: ControllerState): Promise<void> {
    const { id, labels } = this.#options;
    const blank = RunStatus.new(id, {}, { labels });
    await state.modify(blank, (draft) => fill(draft, report));
    this.#state = report.state;
    this.#writtenMs = nowMs;
  }
}

function fill({ spec }: TypedDraft<RunStatusSpec>, report: RunReport): void {
  spec.state = report.state;
  spec.retries = report.retries;
  spec.message = report.message ?? '';
  spec.outputs = report.outputs ?? '';
  if (report.concurrencyKey !== undefined) spec.concurrencyKey = report.concurrencyKey;
  if (report.startedMs === null) delete spec.startedAt;
  else if (report.startedMs !== undefined) spec.startedAt = timeOf(report.startedMs);
  if (report.endedMs === undefined) delete spec.endedAt;
  else spec.endedAt = timeOf(report.endedMs);
  if (report.steps !== undefined) {
    spec.steps = Array.from(report.steps, (counts) => create(StepSummarySchema, counts));
  }
}

/** The report of the end of a run. */
export function endReport({ state, message, outputs }: RunOutcome, retries: number, endedMs: number): RunReport {
  return { state, message, outputs, retries, endedMs };
}
