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

export function workerView({ metadata, spec }: TypedResource<WorkerSpec>, nowMs: number) {
  const seenMs = metadata.updated.toDate().getTime();
  return {
    id: metadata.id,
    worker: spec.worker,
    serves: spec.serves,
    executors: spec.executors,
    slots: spec.slots,
    leaseMs: Number(spec.leaseMs),
    seenAt: metadata.updated.toString(),
    /** Whether its last sign of life is not longer ago than it said. */
    alive: seenMs + Number(spec.leaseMs) >= nowMs,
  };
}
