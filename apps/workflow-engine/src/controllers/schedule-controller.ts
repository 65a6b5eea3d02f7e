import { isAlreadyExists, type TypedPointer, type TypedResource } from '@cosi-ts/resource';
import {
  exclusive,
  labelValue,
  mapped,
  noItems,
  primary,
  type QueueController,
  type ReconcileContext,
  type ReconcileResult,
  requeueAfter,
  shared,
} from '@cosi-ts/runtime';
import type { Clock } from '@cosi-ts/state';
import { messageOf } from '../engine/condition.js';
import { type CronTimes, cronTimes } from '../engine/cron.js';
import type { ScheduleSpec, ScheduleStatusSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { RunStatus, Schedule, ScheduleStatus, Workflow, WorkflowRun } from '../resources/index.js';
import { labels } from '../resources/labels.js';
import { isFinal } from '../resources/states.js';
import { clockCheckMs, msNow, msOf, timeOf } from './times.js';

/** A run that begins so late was not missed: the engine had other things to do. */
const punctualMs = 10_000;

export interface ScheduleControllerOptions {
  readonly clock: Clock;
  /** Who holds runs while they are kept. */
  readonly keeping: string;
}

/** What became of the time that was due last. */
interface Taken {
  readonly lastMs: number | undefined;
  readonly lastRun?: string;
  readonly message: string;
}

/** Makes runs at the times of schedules: one for each time, and one only when several were missed. */
export class ScheduleController implements QueueController<TypedPointer<ScheduleSpec>> {
  readonly name = 'ScheduleController';
  readonly inputs = [
    primary(Schedule.kind),
    mapped(RunStatus.kind, labelValue(Schedule.kind, labels.schedule)),
    mapped(Workflow.kind, noItems),
  ];
  readonly outputs = [exclusive(ScheduleStatus), shared(WorkflowRun)];
  readonly concurrency = 8;
  readonly #options: ScheduleControllerOptions;

  constructor(options: ScheduleControllerOptions) {
    this.#options = options;
  }

  async reconcile(pointer: TypedPointer<ScheduleSpec>, context: ReconcileContext): Promise<ReconcileResult> {
    const { state } = context;
    const schedule = await state.find(pointer);
    if (schedule === undefined || schedule.metadata.phase === 'tearingDown') {
      await state.destroyIfReady(ScheduleStatus.at(pointer.id));
      return undefined;
    }
    const { cron, timeZone, suspended } = schedule.spec;
    const nowMs = msNow(this.#options.clock);
    let times: CronTimes;
    try {
      times = cronTimes(cron, timeZone, nowMs);
    } catch (error) {
      await this.#report(pointer.id, { lastMs: undefined, message: messageOf(error) }, undefined, context);
      return undefined;
    }
    const status = (await state.find(ScheduleStatus.at(pointer.id)))?.spec;
    const sinceMs = msOf(status?.lastAt) ?? schedule.metadata.created.toDate().getTime();
    const isDue = times.lastMs !== undefined && times.lastMs > sinceMs;
    if (suspended) {
      // What is due meanwhile is not made up for.
      const lastMs = isDue ? times.lastMs : undefined;
      await this.#report(pointer.id, { lastMs, message: 'is suspended' }, undefined, context);
      return times.nextMs === undefined ? undefined : requeueAfter(Math.min(times.nextMs - nowMs, clockCheckMs));
    }
    const taken = isDue
      ? await this.#take(schedule, times.lastMs ?? nowMs, nowMs, status?.lastRun ?? '', context)
      : { lastMs: undefined, message: status?.message === 'is suspended' ? '' : (status?.message ?? '') };
    await this.#report(pointer.id, taken, times.nextMs, context);
    return times.nextMs === undefined ? undefined : requeueAfter(Math.min(times.nextMs - nowMs, clockCheckMs));
  }

  /** A time is due. */
  async #take(
    schedule: TypedResource<ScheduleSpec>,
    dueMs: number,
    nowMs: number,
    lastRun: string,
    { state, logger }: ReconcileContext,
  ): Promise<Taken> {
    const { workflow, inputs, overlap, catchUpMs } = schedule.spec;
    if (nowMs - dueMs > Math.max(punctualMs, Number(catchUpMs))) {
      return { lastMs: dueMs, message: `the run of ${new Date(dueMs).toISOString()} was missed` };
    }
    const called = await state.find(Workflow.at(workflow));
    if (called === undefined) return { lastMs: dueMs, message: `there is no workflow ${workflow}` };
    if (overlap !== 'allow' && lastRun !== '' && (await this.#goesOn(lastRun, state))) {
      if (overlap !== 'replace') return { lastMs: dueMs, message: `the run ${lastRun} has not ended: none was made` };
      await state.teardown(WorkflowRun.at(lastRun), { owner: '' });
    }
    const { id } = schedule.metadata;
    const run = `${id.replaceAll('.', '-')}-${new Date(dueMs).toISOString().slice(0, 16).replace(/[-:]/g, '')}`;
    try {
      await state.create(
        WorkflowRun.new(
          run,
          { workflow, source: called.spec.source, inputs, trigger: `schedule ${id}` },
          { labels: { [labels.workflow]: workflow, [labels.schedule]: id }, finalizers: [this.#options.keeping] },
        ),
        { owner: '' },
      );
      logger.info({ run }, 'a run was made');
    } catch (error) {
      // It was made before, and that could not be written down.
      if (!isAlreadyExists(error)) throw error;
    }
    return { lastMs: dueMs, lastRun: run, message: '' };
  }

  async #goesOn(run: string, state: ReconcileContext['state']): Promise<boolean> {
    const status = await state.find(RunStatus.at(run));
    if (status !== undefined) return !isFinal(status.spec.state);
    return (await state.find(WorkflowRun.at(run))) !== undefined;
  }

  async #report(id: string, taken: Taken, nextMs: number | undefined, { state }: ReconcileContext): Promise<void> {
    await state.modify(ScheduleStatus.at(id), ({ spec }: { spec: ScheduleStatusSpec }) => {
      if (taken.lastMs !== undefined) spec.lastAt = timeOf(taken.lastMs);
      if (taken.lastRun !== undefined) spec.lastRun = taken.lastRun;
      spec.message = taken.message;
      if (nextMs === undefined) delete spec.nextAt;
      else spec.nextAt = timeOf(nextMs);
    });
  }
}
