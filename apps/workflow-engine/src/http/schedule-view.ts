import { type JsonValue, NotFoundError, type TypedResource } from '@cosi-ts/resource';
import type { CallOptions } from '@cosi-ts/state';
import type { ScheduleSpec, ScheduleStatusSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { find } from '../resources/find.js';
import { Schedule, ScheduleStatus } from '../resources/index.js';
import { jsonOf } from './json-text.js';
import type { FindState } from './run-view.js';
import { timeText } from './time-text.js';

export interface ScheduleParts {
  readonly schedule: TypedResource<ScheduleSpec>;
  readonly status: TypedResource<ScheduleStatusSpec> | undefined;
}

/** A schedule: what is wanted and what is. */
export interface ScheduleView {
  readonly name: string;
  readonly workflow: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly inputs: JsonValue;
  readonly suspended: boolean;
  readonly overlap: string;
  readonly catchUpMs: number;
  readonly lastAt: string | null;
  readonly nextAt: string | null;
  readonly lastRun: string;
  /** Why no run is made; empty when all is well. */
  readonly message: string;
  readonly created: string;
}

/** Rejects with `not-found`. */
export async function scheduleParts(state: FindState, name: string, options: CallOptions): Promise<ScheduleParts> {
  const [schedule, status] = await Promise.all([
    find(state, Schedule.at(name), options),
    find(state, ScheduleStatus.at(name), options),
  ]);
  if (schedule === undefined) throw new NotFoundError(Schedule.at(name));
  return { schedule, status };
}

export function scheduleView({ schedule: { metadata, spec }, status }: ScheduleParts): ScheduleView {
  return {
    name: metadata.id,
    workflow: spec.workflow,
    cron: spec.cron,
    timeZone: spec.timeZone === '' ? 'UTC' : spec.timeZone,
    inputs: jsonOf(spec.inputs) ?? {},
    suspended: spec.suspended,
    overlap: spec.overlap === '' ? 'skip' : spec.overlap,
    catchUpMs: Number(spec.catchUpMs),
    lastAt: timeText(status?.spec.lastAt),
    nextAt: timeText(status?.spec.nextAt),
    lastRun: status?.spec.lastRun ?? '',
    message: status?.spec.message ?? '',
    created: metadata.created.toString(),
  };
}
