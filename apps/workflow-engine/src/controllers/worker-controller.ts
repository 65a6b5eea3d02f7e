import { create } from '@bufbuild/protobuf';
import { label, type Pointer, type TypedPointer, type TypedResource } from '@cosi-ts/resource';
import {
  type InputMetadata,
  mapped,
  primary,
  type QueueController,
  type ReconcileContext,
  type ReconcileResult,
  requeueAfter,
  shared,
} from '@cosi-ts/runtime';
import type { Clock, State } from '@cosi-ts/state';
import { StepErrorSchema, type StepRunSpec, type WorkerSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { StepResult, StepRun, Worker } from '../resources/index.js';
import { labels } from '../resources/labels.js';
import { isRefused, writeResult } from './step-results.js';
import { msNow, msOf, timeOf } from './times.js';

export interface WorkerControllerOptions {
  /** What results are written to. */
  readonly state: State;
  readonly clock: Clock;
  /** The controller that holds StepRuns while they are executed. */
  readonly executing: string;
  /** How long a worker has to say that it is there, of which nothing but its steps is known. Default: 15 000. */
  readonly leaseMs?: number;
}

/** When a worker said last that it is there, as far as it was seen here. */
interface Sighting {
  readonly worker: string;
  readonly beat: bigint;
  readonly leaseMs: number;
  readonly seenMs: number;
}

/** The name of the process: that of the worker, and what is new with each start. */
export function processName(worker: string, start: string): string {
  return `${worker}/${start}`;
}

/**
 * Declares the attempts of workers lost that have gone. Times of other machines are not compared: a lease counts from
 * when its last change was seen here. A result that comes later is refused, so nothing can come from these attempts.
 */
export class WorkerController implements QueueController<TypedPointer<WorkerSpec>> {
  readonly name = 'WorkerController';
  readonly inputs = [primary(Worker.kind), mapped(StepRun.kind, (stepRun) => this.#workerOf(stepRun))];
  readonly outputs = [shared(StepRun), shared(StepResult), shared(Worker)];
  readonly concurrency = 8;
  readonly #options: WorkerControllerOptions;
  readonly #sightings = new Map<string, Sighting>();
  /** The processes that have or had steps, by the worker's name. */
  readonly #processes = new Map<string, Set<string>>();

  constructor(options: WorkerControllerOptions) {
    this.#options = options;
  }

  async reconcile({ id }: TypedPointer<WorkerSpec>, context: ReconcileContext): Promise<ReconcileResult> {
    const { state, logger } = context;
    const worker = await state.find(Worker.at(id));
    const sighting = this.#see(id, worker);
    for (const process of this.#processes.get(id) ?? []) {
      if (process !== sighting.worker && sighting.worker !== '') await this.#declareLost(id, process, context);
    }
    const leftMs = sighting.seenMs + sighting.leaseMs - this.#options.clock.monotonicMs();
    if (leftMs > 0) return requeueAfter(leftMs);
    for (const process of this.#processes.get(id) ?? []) await this.#declareLost(id, process, context);
    this.#sightings.delete(id);
    if (worker !== undefined) {
      logger.warn({ worker: id }, 'a worker has gone');
      await state.destroyIfReady(worker.metadata, { owner: '' });
    }
    return undefined;
  }

  #see(id: string, worker: TypedResource<WorkerSpec> | undefined): Sighting {
    const known = this.#sightings.get(id);
    const seenMs = this.#options.clock.monotonicMs();
    const leaseMs = this.#options.leaseMs ?? 15_000;
    const now: Sighting =
      worker === undefined
        ? { worker: '', beat: -1n, leaseMs, seenMs }
        : { worker: worker.spec.worker, beat: worker.spec.beat, leaseMs: Number(worker.spec.leaseMs), seenMs };
    if (known !== undefined && known.worker === now.worker && known.beat === now.beat) return known;
    // A worker that is there no more has its last lease.
    if (known !== undefined && worker === undefined && known.worker !== '') return known;
    this.#sightings.set(id, now);
    return now;
  }

  async #declareLost(id: string, process: string, { state, logger }: ReconcileContext): Promise<void> {
    const stepRuns = await state.list(StepRun.kind, { labels: [label(labels.worker).is(process)] });
    for (const stepRun of stepRuns) {
      const { metadata, spec } = stepRun;
      if (spec.worker !== process) continue;
      const result = await state.find(StepResult.at(metadata.id));
      if (result === undefined || !isRefused(result.spec, spec.attempt)) {
        logger.warn({ step: metadata.id, attempt: spec.attempt, process }, 'an attempt is lost with its worker');
        await this.#writeLost(stepRun, msOf(result?.spec.startedAt));
      }
      if (metadata.phase === 'tearingDown') await state.removeFinalizer(metadata, this.#options.executing);
    }
    this.#processes.get(id)?.delete(process);
    if (this.#processes.get(id)?.size === 0) this.#processes.delete(id);
  }

  async #writeLost(stepRun: TypedResource<StepRunSpec>, startedMs: number | undefined): Promise<void> {
    const nowMs = msNow(this.#options.clock);
    await writeResult(this.#options.state, stepRun, {
      state: 'failed',
      worker: stepRun.spec.worker,
      error: create(StepErrorSchema, { reason: 'lost', message: `the worker ${stepRun.spec.worker} has gone` }),
      startedAt: timeOf(startedMs ?? nowMs),
      endedAt: timeOf(nowMs),
    });
  }

  #workerOf({ labels: of }: InputMetadata): Pointer | undefined {
    const process = of[labels.worker];
    if (process === undefined) return undefined;
    const name = process.slice(0, process.lastIndexOf('/'));
    const processes = this.#processes.get(name) ?? new Set();
    processes.add(process);
    this.#processes.set(name, processes);
    return Worker.at(name);
  }
}
