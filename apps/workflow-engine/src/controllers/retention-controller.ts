import { setMaxListeners } from 'node:events';
import { label, type Pointer, type TypedResource } from '@cosi-ts/resource';
import { type Controller, type ControllerContext, type ControllerState, shared, weak } from '@cosi-ts/runtime';
import { type Clock, sleep } from '@cosi-ts/state';
import { expired, type RetentionLimits } from '../engine/retention.js';
import type { WorkflowRunSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import { RunStatus, Signal, StepResult, StepRun, WorkflowRun } from '../resources/index.js';
import { labels } from '../resources/labels.js';
import { isFinal } from '../resources/states.js';
import { eachOf, ignoringAbsence } from './each-of.js';
import { msNow, msOf } from './times.js';

export interface RetentionControllerOptions {
  readonly limits: RetentionLimits;
  /** How long it waits after it has looked, however much changes meanwhile. */
  readonly intervalMs: number;
  readonly clock: Clock;
  /** The controllers that hold runs while they are kept, and StepRuns while they are executed. */
  readonly keeping: string;
  readonly executing: string;
  /** Removes logs and folders of a run. */
  readonly forget: (run: string) => Promise<void>;
  /** Where runs are put before they are destroyed. */
  readonly leaving: Set<string>;
}

/** Destroys runs that are over and kept no longer, with all that belongs to them. */
export class RetentionController implements Controller {
  readonly name = 'RetentionController';
  readonly inputs = [weak(RunStatus.kind), weak(WorkflowRun.kind)];
  readonly outputs = [shared(WorkflowRun), shared(RunStatus), shared(StepRun), shared(StepResult), shared(Signal)];
  readonly #options: RetentionControllerOptions;

  constructor(options: RetentionControllerOptions) {
    this.#options = options;
  }

  async run({ events, state, clock, signal, logger, queueReconcile }: ControllerContext): Promise<void> {
    const { limits, intervalMs } = this.#options;
    // Many writes go on together, and each ends with the signal.
    setMaxListeners(0, signal);
    for await (const _ of events) {
      const runs = await state.list(WorkflowRun.kind);
      // Those of which something is destroyed already.
      const forgotten = runs.filter(({ metadata }) => Object.hasOwn(metadata.labels, labels.forgotten));
      const { ids, nextMs } = expired(await this.#ended(state), limits, msNow(clock));
      const byId = new Map(runs.map((run) => [run.metadata.id, run]));
      const due = ids.flatMap((id) => byId.get(id) ?? []);
      for (const run of new Set([...forgotten, ...due])) {
        await this.#destroyTree(run, runs, state);
        logger.info({ run: run.metadata.id }, 'a run is kept no longer');
      }
      if (nextMs !== undefined) queueReconcile(Math.max(intervalMs, nextMs - msNow(clock)));
      await sleep(clock, intervalMs, signal);
    }
  }

  async #ended(state: ControllerState) {
    const statuses = await state.list(RunStatus.kind);
    return statuses.flatMap(({ metadata, spec }) => {
      const endedMs = msOf(spec.endedAt);
      if (!isFinal(spec.state) || endedMs === undefined || Object.hasOwn(metadata.labels, labels.parent)) return [];
      return [{ id: metadata.id, workflow: metadata.labels[labels.workflow] ?? '', endedMs }];
    });
  }

  /** The nested runs first, the innermost at the beginning. */
  async #destroyTree(
    root: TypedResource<WorkflowRunSpec>,
    runs: readonly TypedResource<WorkflowRunSpec>[],
    state: ControllerState,
  ): Promise<void> {
    const nested = runs.filter(({ metadata }) => metadata.labels[labels.root] === root.metadata.id);
    const depth = ({ metadata }: TypedResource<unknown>) => Number(metadata.labels[labels.depth] ?? 0);
    // From the mark on, nobody takes the run for one that goes on.
    for (const { metadata } of [root, ...nested]) await this.#mark(metadata.id, state);
    for (const { metadata } of [...nested.sort((a, b) => depth(b) - depth(a)), root]) {
      await this.#destroyRun(metadata.id, state);
    }
  }

  async #mark(id: string, state: ControllerState): Promise<void> {
    await ignoringAbsence(
      state.updateWithConflicts(
        WorkflowRun.at(id),
        ({ metadata }) => {
          metadata.labels[labels.forgotten] = 'true';
          metadata.phase = 'tearingDown';
        },
        { owner: '', expectedPhase: 'any' },
      ),
    );
  }

  async #destroyRun(id: string, state: ControllerState): Promise<void> {
    const { executing, keeping, forget, leaving } = this.#options;
    leaving.add(id);
    const ofRun = { labels: [label(labels.run).is(id)] };
    const [results, stepRuns, signals] = await Promise.all([
      state.list(StepResult.kind, ofRun),
      state.list(StepRun.kind, ofRun),
      state.list(Signal.kind),
    ]);
    await eachOf(results, ({ metadata }) => state.destroy(metadata, { owner: '' }));
    await eachOf(stepRuns, async ({ metadata }) => {
      if (metadata.finalizers.length > 0) await this.#release(StepRun.at(metadata.id), executing, state);
      await state.destroy(metadata, { owner: '' });
    });
    const own = signals.filter(({ spec }) => spec.run === id);
    await eachOf(own, ({ metadata }) => state.destroy(metadata, { owner: '' }));
    await forget(id);
    await state.destroy(RunStatus.at(id), { owner: keeping });
    await this.#release(WorkflowRun.at(id), keeping, state);
    await state.destroy(WorkflowRun.at(id), { owner: '' });
  }

  async #release(pointer: Pointer, finalizer: string, state: ControllerState): Promise<void> {
    await ignoringAbsence(
      state.updateWithConflicts(
        pointer,
        ({ metadata }) => {
          metadata.finalizers.remove(finalizer);
          metadata.phase = 'tearingDown';
        },
        { owner: '', expectedPhase: 'any' },
      ),
    );
  }
}
