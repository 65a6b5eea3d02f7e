import { label, type TypedPointer, type TypedResource } from '@cosi-ts/resource';
import {
  type ControllerState,
  type HookContext,
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
import type { RunStatusSpec, StepRunSpec, WorkflowRunSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { RunStatus, Signal, StepResult, StepRun, WorkflowRun } from '../resources/index.js';
import { labels } from '../resources/labels.js';
import { isFinal } from '../resources/states.js';
import { destroyedMessage } from './decision-writer.js';
import { eachOf, ignoringAbsence } from './each-of.js';
import { msNow, timeOf } from './times.js';

/** When it is looked again whether something is left. */
const againMs = 1000;

export interface OrphanControllerOptions {
  /** Who owns statuses of runs. */
  readonly keeping: string;
  readonly clock: Clock;
  /** Removes logs and folders of a run. */
  readonly forget: (run: string) => Promise<void>;
  /** Runs that are kept no longer and about to go, with all that belongs to them: whoever destroys them puts them there. */
  readonly leaving: Set<string>;
}

/**
 * Cleans up after runs that somebody has destroyed by force, while they went on or before the engine was started: what
 * executes of them is cancelled, nested runs are cancelled with them, and what is left of them is destroyed. Runs that
 * are kept no longer are no such: all that belongs to them is destroyed before they are.
 */
export class OrphanController implements QueueController<TypedPointer<WorkflowRunSpec>> {
  readonly name = 'OrphanController';
  readonly inputs = [primary(WorkflowRun.kind), mapped(RunStatus.kind, noItems), mapped(StepRun.kind, noItems)];
  readonly outputs = [shared(WorkflowRun), shared(RunStatus), shared(StepRun), shared(StepResult), shared(Signal)];
  readonly concurrency = 4;
  readonly #options: OrphanControllerOptions;
  /** When runs were found to be gone of which something may still be written. */
  readonly #goneAtMs = new Map<string, number>();

  constructor(options: OrphanControllerOptions) {
    this.#options = options;
  }

  /** Finds what was left behind before the engine was started. */
  async runHook({ state, queue }: HookContext): Promise<void> {
    const [runs, statuses, stepRuns, results, signals] = await Promise.all([
      state.list(WorkflowRun.kind),
      state.list(RunStatus.kind),
      state.list(StepRun.kind),
      state.list(StepResult.kind),
      state.list(Signal.kind),
    ]);
    const known = new Set(runs.map(({ metadata }) => metadata.id));
    const named = [
      ...statuses.map(({ metadata }) => metadata.id),
      ...[...stepRuns, ...results, ...signals].map(({ spec }) => spec.run),
      ...runs.flatMap(({ metadata }) => metadata.labels[labels.parent] ?? []),
    ];
    for (const run of new Set(named)) if (!known.has(run)) queue(WorkflowRun.at(run));
  }

  async reconcile(pointer: TypedPointer<WorkflowRunSpec>, context: ReconcileContext): Promise<ReconcileResult> {
    const { id } = pointer;
    const run = await context.state.find(pointer);
    if (run !== undefined) {
      this.#goneAtMs.delete(id);
      return undefined;
    }
    const { clock, leaving, forget } = this.#options;
    const nowMs = clock.monotonicMs();
    const isFirst = !this.#goneAtMs.has(id);
    const goneAtMs = this.#goneAtMs.get(id) ?? nowMs;
    this.#goneAtMs.set(id, goneAtMs);
    const isLeaving = leaving.has(id);
    const isLeft = isLeaving
      ? (await this.#endNestedOf(id, context.state)) > 0
      : await this.#cleanUp(id, isFirst, context);
    // Others may be about to write something of it, and events of it are on their way.
    if (isLeft || nowMs - goneAtMs < againMs) return requeueAfter(againMs);
    this.#goneAtMs.delete(id);
    leaving.delete(id);
    if (!isLeaving) await forget(id);
    return undefined;
  }

  /** Whether something is left, which has to end first. */
  async #cleanUp(id: string, isFirst: boolean, { state, logger }: ReconcileContext): Promise<boolean> {
    const [stepRuns, nested, status] = await Promise.all([
      state.list(StepRun.kind, { labels: [label(labels.run).is(id)] }),
      this.#endNestedOf(id, state),
      state.find(RunStatus.at(id)),
    ]);
    if (isFirst && (stepRuns.length > 0 || nested > 0 || status !== undefined)) {
      logger.warn({ run: id }, 'the run was destroyed by force: what is left of it is ended and destroyed');
    }
    await eachOf(stepRuns, (stepRun) => endStepRun(stepRun, state));
    // Who executes a step writes its result before it lets go of it.
    if (nested > 0 || stepRuns.some(({ metadata }) => metadata.finalizers.length > 0)) return true;
    if (await this.#isAwaited(id, status, state)) return true;
    await this.#destroyRest(id, status, state);
    return false;
  }

  /** How many runs there are that the run has begun. */
  async #endNestedOf(id: string, state: ControllerState): Promise<number> {
    const nested = await state.list(WorkflowRun.kind, { labels: [label(labels.parent).is(id)] });
    await eachOf(nested, (run) => endNested(run, state));
    return nested.length;
  }

  /** Whether a step of another run waits for its end, which is written down for it. */
  async #isAwaited(id: string, status: TypedResource<RunStatusSpec> | undefined, state: ControllerState) {
    // A nested run has the id of the execution that it belongs to.
    const step = await state.find(StepResult.at(id));
    if (step === undefined || isFinal(step.spec.state)) return false;
    const parent = step.spec.run;
    if ((await state.find(WorkflowRun.at(parent))) === undefined) return false;
    if (status === undefined || !isFinal(status.spec.state)) {
      const { attempt } = step.spec;
      const blank = RunStatus.new(
        id,
        { retries: attempt - 1 },
        { labels: { [labels.parent]: parent, [labels.parentStep]: id } },
      );
      const nowMs = msNow(this.#options.clock);
      await state.modify(
        blank,
        ({ spec }) => {
          spec.state = 'cancelled';
          spec.message = destroyedMessage;
          spec.endedAt = timeOf(nowMs);
        },
        { owner: this.#options.keeping },
      );
    }
    return true;
  }

  async #destroyRest(id: string, status: TypedResource<RunStatusSpec> | undefined, state: ControllerState) {
    const results = await state.list(StepResult.kind, { labels: [label(labels.run).is(id)] });
    await eachOf(results, ({ metadata }) => ignoringAbsence(state.destroy(metadata, { owner: '' })));
    const signals = await state.list(Signal.kind);
    const own = signals.filter(({ spec }) => spec.run === id);
    await eachOf(own, ({ metadata }) => ignoringAbsence(state.destroy(metadata, { owner: '' })));
    if (status !== undefined) {
      await ignoringAbsence(state.destroy(status.metadata, { owner: this.#options.keeping }));
    }
  }
}

/** Cancels what executes; destroys the rest. */
async function endStepRun({ metadata }: TypedResource<StepRunSpec>, state: ControllerState): Promise<void> {
  if (metadata.finalizers.length === 0) await ignoringAbsence(state.destroy(metadata, { owner: '' }));
  else if (metadata.phase === 'running') await ignoringAbsence(state.teardown(metadata, { owner: '' }));
}

/** Cancels a nested run; one that is over is kept no longer. */
async function endNested({ metadata }: TypedResource<WorkflowRunSpec>, state: ControllerState): Promise<void> {
  const status = await state.find(RunStatus.at(metadata.id));
  if (status === undefined || !isFinal(status.spec.state)) {
    if (metadata.phase === 'running') await ignoringAbsence(state.teardown(metadata, { owner: '' }));
    return;
  }
  await ignoringAbsence(
    state.updateWithConflicts(
      WorkflowRun.at(metadata.id),
      (draft) => {
        draft.metadata.labels[labels.forgotten] = 'true';
        draft.metadata.phase = 'tearingDown';
      },
      { owner: '', expectedPhase: 'any' },
    ),
  );
}
