import { InvalidArgumentError, type TypedResource } from '@cosi-ts/resource';
import type { CallOptions, Random, State } from '@cosi-ts/state';
import type { WorkflowRunSpec } from './gen/cosi/workflows/v1/workflows_pb.js';
import type { JsonObject } from './json.js';
import { RunStatus, Workflow, WorkflowRun } from './resources/index.js';
import { labels } from './resources/labels.js';
import { SignalRequests } from './signal-requests.js';

export interface StartOptions extends CallOptions {
  /** Without a dot. Default: the name of the workflow and a part that is new each time. */
  readonly id?: string | undefined;
  readonly inputs?: JsonObject | undefined;
  readonly priority?: number | undefined;
  readonly paused?: boolean | undefined;
  /** Who or what made the run. Default: `user`. */
  readonly trigger?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

export interface RunRequestsOptions {
  readonly random: Random;
  /** Who holds runs while they are kept. */
  readonly keeping: string;
}

/** What people ask of runs, as changes of their resources. */
export class RunRequests {
  readonly #state: State;
  readonly #options: RunRequestsOptions;
  readonly #signals: SignalRequests;

  constructor(state: State, options: RunRequestsOptions) {
    this.#state = state;
    this.#signals = new SignalRequests(state);
    this.#options = options;
  }

  /**
   * Makes a run of a workflow as it is now. Rejects with `not-found` when there is no such workflow, `already-exists`
   * when the id is taken, and `invalid-argument` for an id with a dot.
   */
  async start(workflow: string, options: StartOptions = {}): Promise<TypedResource<WorkflowRunSpec>> {
    const { inputs = {}, priority = 0, paused = false, trigger = 'user', labels: own = {}, ...call } = options;
    const id = options.id ?? `${workflow}-${this.#suffix()}`;
    if (id.includes('.')) throw new InvalidArgumentError(`the id of a run has no dots, and this is ${id}`);
    const { spec } = await this.#state.get(Workflow.at(workflow), callOf(call));
    const run = WorkflowRun.new(
      id,
      { workflow, source: spec.source, inputs: JSON.stringify(inputs), priority, paused, trigger },
      { labels: { ...own, [labels.workflow]: workflow }, finalizers: [this.#options.keeping] },
    );
    return this.#state.create(run, callOf(call));
  }

  /** Begins the end of a run. It is over when its status says so. Rejects with `not-found`. */
  async cancel(id: string, options: CallOptions = {}): Promise<void> {
    await this.#state.teardown(WorkflowRun.at(id), options);
  }

  /**
   * Has what failed or was cancelled executed again. Rejects with `invalid-argument` for a run that has succeeded or is
   * not over.
   */
  async retry(id: string, options: CallOptions = {}): Promise<void> {
    const { spec } = await this.#state.get(RunStatus.at(id), options);
    if (spec.state !== 'failed' && spec.state !== 'cancelled') {
      throw new InvalidArgumentError(
        `the run ${id} is ${spec.state}: only one that failed or was cancelled is tried again`,
      );
    }
    await this.#state.updateWithConflicts(
      WorkflowRun.at(id),
      (draft) => {
        draft.spec.retries = spec.retries + 1;
        draft.spec.paused = false;
        draft.metadata.phase = 'running';
      },
      { ...options, expectedPhase: 'any' },
    );
  }

  /** See {@link SignalRequests.send}. */
  signal(...args: Parameters<SignalRequests['send']>): Promise<void> {
    return this.#signals.send(...args);
  }

  /** Holds a run, or has it go on. Rejects with `not-found`, and with a phase conflict for one that is cancelled. */
  async pause(id: string, paused: boolean, options: CallOptions = {}): Promise<void> {
    await this.#state.updateWithConflicts(
      WorkflowRun.at(id),
      ({ spec }) => {
        spec.paused = paused;
      },
      options,
    );
  }

  #suffix(): string {
    return Array.from(this.#options.random.bytes(5), (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
}

function callOf({ signal, context }: CallOptions): CallOptions {
  return { signal, context };
}
