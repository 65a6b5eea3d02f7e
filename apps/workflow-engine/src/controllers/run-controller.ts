import { setMaxListeners } from 'node:events';
import type { Pointer, TypedPointer, TypedResource } from '@cosi-ts/resource';
import {
  type ControllerState,
  type HookContext,
  type InputMetadata,
  type JobContext,
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
import type { Definition } from '../definition/definition.js';
import { messageOf } from '../engine/condition.js';
import { Room, type RoomOptions } from '../engine/room.js';
import type { WorkflowRunSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { type HowToGive, howToGive } from '../how-to-give.js';
import type { JsonObject } from '../json.js';
import { RunStatus, Signal, StepResult, StepRun, Workflow, WorkflowRun } from '../resources/index.js';
import { labels } from '../resources/labels.js';
import { isFinal, type RunState } from '../resources/states.js';
import { givenUp, giveUp } from './give-up.js';
import { NestedRuns } from './nested-runs.js';
import type { OpenRun } from './open-run.js';
import { inputsOf } from './run-inputs.js';
import { RunLine } from './run-line.js';
import { isOver, type RunStatusView } from './run-over.js';
import { Inbox, RunSession } from './run-session.js';
import { endReport, type RunReport, StatusWriter } from './status-writer.js';
import { clockCheckMs, msNow, msOf } from './times.js';

export const runControllerName = 'RunController';

/** When it is looked again whether something is left of a run that cannot be gone on with. */
const againMs = 200;

/** So often is something of a run carried out before what happened meanwhile is taken in. */
const mostTurns = 4;

export interface RunControllerOptions {
  /**
   * Throws for a text that is no definition. Called again for a text that it has read.
   * @param isBegun whether a run has begun by it, maybe when an earlier version read it
   */
  readonly readDefinition: (source: string, isBegun: boolean) => Definition;
  /** The name of this process: who executes what asks for no worker. */
  readonly worker: string;
  /** The name of the controller that executes steps. */
  readonly executing: string;
  readonly room: RoomOptions;
  readonly clock: Clock;
  /** How many runs are looked at at once. Default: 64. */
  readonly concurrency?: number;
  /** How often the status of a run is written at most while its state stays the same, and no more than 50 runs go on; of
   * more runs less often. Default: 200. */
  readonly statusIntervalMs?: number;
  /** How many runs within one go on at once, however deep they are nested. Default: 10 000. */
  readonly maxNestedRuns?: number;
  /** Default: that of an engine which goes on. */
  readonly howToGive?: HowToGive;
}

/**
 * Has runs go on: tells their models what has happened, and carries out what they decide. What it keeps in memory is
 * made again from the resources at the start, and for one run whenever a write failed.
 */
export class RunController implements QueueController<TypedPointer<WorkflowRunSpec>> {
  readonly name = runControllerName;
  readonly inputs;
  readonly outputs = [shared(WorkflowRun), shared(RunStatus), shared(StepRun), shared(StepResult)];
  readonly concurrency: number;

  readonly #options: RunControllerOptions;
  readonly #room: Room;
  readonly #line: RunLine;
  readonly #nested: NestedRuns;
  readonly #open = new Map<string, OpenRun>();
  #priming: Promise<void> | undefined;
  #queue: (pointer: Pointer) => void = () => undefined;

  constructor(options: RunControllerOptions) {
    this.#options = options;
    this.#room = new Room(options.room);
    this.#nested = new NestedRuns(options.maxNestedRuns ?? 10_000);
    this.#line = new RunLine((id) => this.#queue(WorkflowRun.at(id)));
    this.concurrency = options.concurrency ?? 64;
    this.inputs = [
      primary(WorkflowRun.kind),
      mapped(StepResult.kind, ({ id, labels: of }) => this.#note(of[labels.run], 'results', id)),
      mapped(RunStatus.kind, ({ id, labels: of }) => this.#note(of[labels.parent], 'children', id)),
      mapped(Signal.kind, (signal, context) => this.#noteSignal(signal, context)),
      mapped(Workflow.kind, noItems),
    ];
  }

  runHook({ queue }: HookContext): void {
    this.#queue = queue;
  }

  async reconcile(pointer: TypedPointer<WorkflowRunSpec>, context: ReconcileContext): Promise<ReconcileResult> {
    const { state } = context;
    this.#priming ??= this.#prime(context).catch((error: unknown) => {
      this.#priming = undefined;
      throw error;
    });
    await this.#priming;
    const run = await state.find(pointer);
    if (run === undefined) {
      this.#close(pointer.id);
      return undefined;
    }
    try {
      const open = this.#open.get(pointer.id) ?? (await this.#begin(run, state));
      return open === undefined ? undefined : await this.#goOn(open, run, context);
    } catch (error) {
      // What was decided may have been done or not: the stored resources tell.
      this.#forget(pointer.id);
      throw error;
    }
  }

  /** Takes up all runs that are not over, before anything of any of them is decided on: who has room is to be known. */
  async #prime(context: ReconcileContext): Promise<void> {
    const { state } = context;
    const [runs, statuses] = await Promise.all([state.list(WorkflowRun.kind), state.list(RunStatus.kind)]);
    const byId = new Map(statuses.map((status) => [status.metadata.id, status]));
    const oldest = [...runs].sort((a, b) => a.metadata.created.compare(b.metadata.created));
    // Those that have a key before those that want it.
    for (const run of oldest) {
      const status = byId.get(run.metadata.id);
      if (status !== undefined) this.#holdKey(run, status.spec);
    }
    for (const run of oldest) {
      const status = byId.get(run.metadata.id);
      if (isOver(run.spec, status?.spec)) continue;
      try {
        const open = await this.#begin(run, state);
        if (open !== undefined) await this.#openSession(open, run, state);
      } catch (error) {
        this.#close(run.metadata.id);
        context.logger.warn({ err: error, run: run.metadata.id }, 'the run could not be taken up, and is tried again');
      }
    }
    this.#room.open();
  }

  #holdKey(run: TypedResource<WorkflowRunSpec>, status: RunStatusView): void {
    if (status.concurrencyKey === '' || status.state === 'queued' || isOver(run.spec, status)) return;
    this.#line.hold(run.metadata.id, status.concurrencyKey);
  }

  /** The run, when it is not over. */
  async #begin(run: TypedResource<WorkflowRunSpec>, state: ControllerState): Promise<OpenRun | undefined> {
    const { id, phase, finalizers } = run.metadata;
    const inbox = new Inbox();
    const status = (await state.find(RunStatus.at(id)))?.spec;
    if (isOver(run.spec, status)) return undefined;
    const isHeld = finalizers.includes(this.name);
    if (Object.hasOwn(run.metadata.labels, labels.forgotten)) return undefined;
    // It was torn down before anybody saw it.
    if (phase === 'tearingDown' && !isHeld && status === undefined) return undefined;
    if (!isHeld) await state.addFinalizer(run.metadata);
    const isAgain = status !== undefined && isFinal(status.state);
    const open: OpenRun = {
      inbox,
      status: new StatusWriter({
        id,
        labels: { ...run.metadata.labels, [labels.workflow]: run.spec.workflow },
        intervalMs: () => this.#statusIntervalMs,
      }),
      session: undefined,
      hasBegun: status?.startedAt !== undefined,
      startedMs: status === undefined || isAgain || status.state === 'queued' ? undefined : msOf(status.startedAt),
      retries: isAgain ? run.spec.retries : (status?.retries ?? run.spec.retries),
    };
    this.#open.set(id, open);
    const root = run.metadata.labels[labels.root];
    if (root !== undefined) this.#nested.found(id, root);
    return open;
  }

  /** A run that is over, or gone. */
  #close(id: string): void {
    this.#forget(id);
    this.#line.leave(id);
    this.#nested.over(id);
  }

  #forget(id: string): void {
    this.#open.get(id)?.session?.close();
    this.#open.delete(id);
  }

  /** The more runs go on, the less often each of them is written about. */
  get #statusIntervalMs(): number {
    const { statusIntervalMs = 200 } = this.#options;
    return statusIntervalMs * Math.min(25, Math.max(1, this.#open.size / 50));
  }

  async #goOn(open: OpenRun, run: TypedResource<WorkflowRunSpec>, context: ReconcileContext): Promise<ReconcileResult> {
    const { state, signal } = context;
    const { clock } = this.#options;
    // Any number of writes go on together, and each ends with the signal.
    setMaxListeners(0, signal);
    const session = await this.#openSession(open, run, state);
    if (session === undefined)
      return this.#open.has(run.metadata.id) && open.hasBegun ? requeueAfter(againMs) : undefined;
    await session.takeIn(run, state);
    session.plan(msNow(clock));
    for (let turns = 0; session.hasWork; turns++) {
      // Rounds can follow each other without an end: who cancels the run or pauses it is heard between them.
      if (turns === mostTurns) return requeueAfter(1);
      const report = this.#report(open, run, session);
      const isDue = open.status.dueInMs(report.state, msNow(clock)) === 0 && session.model.outcome === undefined;
      await Promise.all([session.carryOut(state), isDue ? open.status.write(report, msNow(clock), state) : undefined]);
      session.plan(msNow(clock));
    }
    const nowMs = msNow(clock);
    const { outcome, nextMs } = session.model;
    if (outcome !== undefined) {
      const report = { ...endReport(outcome, open.retries, nowMs), steps: session.model.summaries() };
      await open.status.write(report, nowMs, state);
      this.#close(run.metadata.id);
      context.logger.info({ state: outcome.state }, 'the run is over');
      // Somebody asked for another try already.
      if (run.spec.retries > open.retries) this.#queue(run.metadata);
      return undefined;
    }
    const report = this.#report(open, run, session);
    const dueInMs = open.status.dueInMs(report.state, nowMs);
    if (dueInMs === 0) await open.status.write(report, nowMs, state);
    const waits = [dueInMs === 0 ? undefined : dueInMs, nextMs === undefined ? undefined : Math.max(0, nextMs - nowMs)];
    const shortest = Math.min(...waits.map((ms) => ms ?? Number.POSITIVE_INFINITY));
    return Number.isFinite(shortest) ? requeueAfter(Math.min(shortest, clockCheckMs)) : undefined;
  }

  /** The session of a run that has begun, or begins now; undefined: it waits for its key, or is over. */
  async #openSession(
    open: OpenRun,
    run: TypedResource<WorkflowRunSpec>,
    state: ControllerState,
  ): Promise<RunSession | undefined> {
    if (open.session !== undefined) return open.session;
    const { clock, worker, executing } = this.#options;
    const { id } = run.metadata;
    const nowMs = msNow(clock);
    let definition: Definition;
    let inputs: JsonObject;
    try {
      definition = this.#options.readDefinition(run.spec.source, open.hasBegun);
      inputs = inputsOf(run.spec, definition);
      if (open.startedMs === undefined && !this.#line.has(id)) {
        const refusal = this.#line.enter(run, definition, inputs);
        if (refusal !== undefined) throw new Error(refusal);
      }
    } catch (error) {
      await this.#fail(open, id, messageOf(error), nowMs, state);
      return undefined;
    }
    const isCancelled = run.metadata.phase === 'tearingDown';
    if (open.startedMs === undefined && !isCancelled) {
      const wait = this.#line.waitsFor(id);
      if (wait !== undefined) {
        for (const other of this.#line.toCancel(id)) await state.teardown(WorkflowRun.at(other), { owner: '' });
        const concurrencyKey = this.#line.keyOf(id);
        const report: RunReport = {
          state: 'queued',
          message: wait,
          retries: open.retries,
          concurrencyKey,
          startedMs: null,
        };
        await open.status.write(report, nowMs, state);
        return undefined;
      }
    }
    const neverBegan = open.startedMs === undefined && isCancelled;
    open.startedMs ??= nowMs;
    const { startedMs: begunMs, retries } = open;
    const session = await RunSession.open({ run, definition, inputs, begunMs, retries }, open.inbox, state, {
      worker,
      executing,
      keeping: this.name,
      readDefinition: this.#options.readDefinition,
      nested: this.#nested,
      howToGive: this.#options.howToGive ?? howToGive,
      room: this.#room,
      wake: () => this.#queue(WorkflowRun.at(id)),
    });
    open.session = session;
    if (neverBegan) session.model.abandon();
    session.takeUp(nowMs);
    return session;
  }

  /** A run that cannot be gone on with. What goes on of it is ended first, for which this is called again. */
  async #fail(open: OpenRun, id: string, message: string, nowMs: number, state: ControllerState): Promise<void> {
    const { retries } = open;
    if (open.hasBegun && (await giveUp(id, message, nowMs, state))) {
      if (open.status.dueInMs('cancelling', nowMs) === 0) {
        await open.status.write({ state: 'cancelling', message, retries }, nowMs, state);
      }
      return;
    }
    const told = open.hasBegun ? await state.find(RunStatus.at(id)) : undefined;
    const steps = told === undefined ? {} : { steps: givenUp(told.spec.steps as never) };
    await open.status.write({ state: 'failed', message, retries, endedMs: nowMs, ...steps }, nowMs, state);
    this.#close(id);
  }

  #report(open: OpenRun, run: TypedResource<WorkflowRunSpec>, { model }: RunSession): RunReport {
    const { startedMs = null, retries } = open;
    const state: RunState = model.isCancelling ? 'cancelling' : run.spec.paused ? 'paused' : 'running';
    const concurrencyKey = this.#line.keyOf(run.metadata.id);
    return { state, startedMs, retries, concurrencyKey, steps: model.summaries() };
  }

  /** What changed of a run that is looked at already is read when it is its turn; others read all. */
  #note(run: string | undefined, what: keyof Inbox, id: string): Pointer | undefined {
    const open = run === undefined ? undefined : this.#open.get(run);
    if (run === undefined || open === undefined) return undefined;
    open.inbox[what].add(id);
    return WorkflowRun.at(run);
  }

  async #noteSignal({ id }: InputMetadata, { state }: JobContext): Promise<Pointer | undefined> {
    const signal = await state.find(Signal.at(id));
    return this.#note(signal?.spec.run, 'signals', id);
  }
}
