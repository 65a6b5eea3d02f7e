import { type ApiRequest, type Route, readJson, route } from '@cosi-ts/app-kit';
import { isNotFound } from '@cosi-ts/resource';
import type { Clock, State } from '@cosi-ts/state';
import { msNow } from '../controllers/times.js';
import { durationMs } from '../definition/duration.js';
import { cronTimes } from '../engine/cron.js';
import type { ScheduleSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { Schedule, ScheduleStatus } from '../resources/index.js';
import { BodyFields, wrong } from './body-fields.js';
import { scheduleParts, scheduleView } from './schedule-view.js';

const namePattern = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?$/;
const known = ['workflow', 'cron', 'timeZone', 'inputs', 'suspended', 'overlap', 'catchUp'];

/** `/schedules`: runs at times. */
export function schedulesRoutes(state: State, clock: Clock): readonly Route[] {
  const list = async ({ signal }: ApiRequest) => {
    const [schedules, statuses] = await Promise.all([
      state.list(Schedule.kind, { signal }),
      state.list(ScheduleStatus.kind, { signal }),
    ]);
    const byId = new Map(statuses.map((status) => [status.metadata.id, status]));
    const views = schedules.map((schedule) => scheduleView({ schedule, status: byId.get(schedule.metadata.id) }));
    return { status: 200, body: { schedules: views } };
  };

  const view = async (name: string, signal: AbortSignal) => scheduleView(await scheduleParts(state, name, { signal }));

  const put = async ({ raw, params, signal }: ApiRequest) => {
    const name = params.name as string;
    if (!namePattern.test(name)) {
      throw wrong(
        'name',
        'must be up to 63 letters, digits, dashes and underscores, with a letter or digit at both ends',
      );
    }
    const fields = new BodyFields(await readJson(raw), known);
    fields.neededText('workflow', '"build"');
    fields.neededText('cron', '"0 3 * * *"');
    const present = await state.list(Schedule.kind, { id: `^${name}$`, signal });
    await state.modify(
      Schedule.at(name),
      ({ spec }) => {
        spec.workflow = '';
        Object.assign(spec, { timeZone: '', inputs: '', suspended: false, overlap: '', catchUpMs: 0n });
        fill(spec, fields, msNow(clock));
      },
      { signal },
    );
    return {
      status: present.length === 0 ? 201 : 200,
      body: await view(name, signal),
      headers: { location: `/schedules/${name}` },
    };
  };

  const change = async ({ raw, params, signal }: ApiRequest) => {
    const name = params.name as string;
    const fields = new BodyFields(await readJson(raw), known);
    await state.updateWithConflicts(Schedule.at(name), ({ spec }) => fill(spec, fields, msNow(clock)), { signal });
    return { status: 200, body: await view(name, signal) };
  };

  const remove = async ({ params, signal }: ApiRequest) => {
    const name = params.name as string;
    const body = await view(name, signal);
    if (await state.teardown(Schedule.at(name), { signal })) {
      try {
        await state.destroy(Schedule.at(name), { signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    return { status: 202, body };
  };

  return [
    route('GET', '/schedules', list),
    route('GET', '/schedules/:name', async ({ params, signal }) => ({
      status: 200,
      body: await view(params.name as string, signal),
    })),
    route('PUT', '/schedules/:name', put),
    route('PATCH', '/schedules/:name', change),
    route('DELETE', '/schedules/:name', remove),
  ];
}

function fill(spec: Pick<ScheduleSpec, keyof ScheduleSpec>, fields: BodyFields, nowMs: number): void {
  for (const name of ['workflow', 'cron', 'timeZone', 'overlap'] as const) {
    const text = fields.text(name);
    if (text !== undefined) spec[name] = text;
  }
  const inputs = fields.object('inputs');
  if (inputs !== undefined) spec.inputs = JSON.stringify(inputs);
  const suspended = fields.flag('suspended');
  if (suspended !== undefined) spec.suspended = suspended;
  checkTimes(spec, nowMs);
  if (fields.has('catchUp')) spec.catchUpMs = BigInt(catchUpMs(fields));
}

function checkTimes({ cron, timeZone }: Pick<ScheduleSpec, 'cron' | 'timeZone'>, nowMs: number): void {
  try {
    cronTimes('* * * * *', timeZone, nowMs);
  } catch {
    throw wrong('timeZone', `must be a time zone like Europe/Berlin or UTC, not ${JSON.stringify(timeZone)}`);
  }
  try {
    cronTimes(cron, timeZone, nowMs);
  } catch (error) {
    const form = 'must be minute, hour, day, month and day of the week, like "0 3 * * *"';
    const isIncomplete = cron.trim().split(/\s+/).length !== 5;
    const why = isIncomplete ? `not ${JSON.stringify(cron)}` : (error as Error).message.replace(/^\w+: /, '');
    throw wrong('cron', `${form}${isIncomplete ? ', ' : ': '}${why}`);
  }
}

/** A text like `1h30m`, or a number of seconds. */
function catchUpMs(fields: BodyFields): number {
  const value = fields.value('catchUp') ?? 0;
  const ms = typeof value === 'number' && value >= 0 ? Math.round(value * 1000) : durationMs(String(value));
  if (ms === undefined) throw wrong('catchUp', `must be like 30m or 1h30m, not ${JSON.stringify(value)}`);
  return ms;
}
