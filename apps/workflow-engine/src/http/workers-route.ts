import { type ApiRequest, type Route, route } from '@cosi-ts/app-kit';
import type { TypedResource } from '@cosi-ts/resource';
import type { Clock, State } from '@cosi-ts/state';
import { msNow } from '../controllers/times.js';
import type { WorkerSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { Worker } from '../resources/index.js';

/** `/workers`: the processes that execute steps beside the engine. */
export function workersRoute(state: State, clock: Clock): Route {
  return route('GET', '/workers', async ({ signal }: ApiRequest) => {
    const workers = await state.list(Worker.kind, { signal });
    const nowMs = msNow(clock);
    return { status: 200, body: { workers: workers.map((worker) => workerView(worker, nowMs)) } };
  });
}

/** A process that executes steps beside the engine. */
export interface WorkerView {
  readonly id: string;
  /** New with each start of it. */
  readonly worker: string;
  readonly serves: Readonly<Record<string, string>>;
  readonly executors: readonly string[];
  readonly slots: number;
  /** How many steps it executed when it was heard of last. */
  readonly running: number;
  readonly leaseMs: number;
  readonly seenAt: string;
  /** Whether its last sign of life is not longer ago than it said. */
  readonly alive: boolean;
}

export function workerView({ metadata, spec }: TypedResource<WorkerSpec>, nowMs: number): WorkerView {
  const seenMs = metadata.updated.toDate().getTime();
  return {
    id: metadata.id,
    worker: spec.worker,
    serves: spec.serves,
    executors: spec.executors,
    slots: spec.slots,
    running: spec.running,
    leaseMs: Number(spec.leaseMs),
    seenAt: metadata.updated.toString(),
    alive: seenMs + Number(spec.leaseMs) >= nowMs,
  };
}
