import { isAlreadyExists, isNotFound, type TypedDraft } from '@cosi-ts/resource';
import type { ControllerState } from '@cosi-ts/runtime';
import type { Definition, StepDefinition } from '../definition/definition.js';
import { inputProblemsText, resolveInputs } from '../definition/inputs.js';
import type { Begin, BeginChild, Postpone, Record as RecordDecision } from '../engine/decisions.js';
import type { ChildFact, Place } from '../engine/facts.js';
import type { StepResultSpec, StepRunSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import type { HowToGive } from '../how-to-give.js';
import type { JsonObject } from '../json.js';
import { RunStatus, StepResult, StepRun, Workflow, WorkflowRun } from '../resources/index.js';
import { batchOf, executionId, labels } from '../resources/labels.js';
import type { NestedRuns } from './nested-runs.js';
import { errorOf, keepFirstStart, pastWith } from './run-resources.js';
import { timeOf, timeOfText } from './times.js';

/** Nobody owns what workers write as well. */
const anyone = { owner: '' } as const;
const anyoneAnytime = { owner: '', expectedPhase: 'any' } as const;

/** How deep runs can be nested: who calls himself without an end is to be told. */
const maxDepth = 32;

/** What is told of a nested run that somebody has destroyed by force. */
export const destroyedMessage = 'was destroyed before it was over';

export interface RunIdentity {
  readonly id: string;
  /** When it was made, as text: what tells it from an earlier one of its id. */
  readonly created: string;
  readonly workflow: string;
  /** The run that nobody else began. */
  readonly root: string;
  readonly depth: number;
}

export interface DecisionWriterOptions {
  /** The name of this process: who executes what asks for no worker. */
  readonly worker: string;
  /** Who holds StepRuns while they are executed. */
  readonly executing: string;
  /** Who holds runs while they are kept. */
  readonly keeping: string;
  /** Throws for a text that is no definition. */
  readonly readDefinition: (source: string, isBegun: boolean) => Definition;
  readonly nested: NestedRuns;
  readonly howToGive: HowToGive;
}

/** Writes what was decided for one run. */
export class DecisionWriter {
  readonly #run: RunIdentity;
  readonly #options: DecisionWriterOptions;

  constructor(run: RunIdentity, options: DecisionWriterOptions) {
    this.#run = run;
    this.#options = options;
  }

  id({ step, index }: Place): string {
    return executionId(this.#run.id, step, index);
  }

  /** Records an attempt. The first is new, the others take the place of the one before. */
  async begin(decision: Begin, state: ControllerState): Promise<void> {
    const id = this.id(decision);
    const fill = (spec: Partial<StepRunSpec>) => {
      setOrClear(spec, 'deadlineAt', timeOf(decision.deadlineMs));
      return Object.assign(spec, this.#stepRun(decision));
    };
    const isRemote = decision.runsOn.size > 0;
    const finalizers = isRemote ? [] : [this.#options.executing];
    const resource = () =>
      StepRun.new(id, fill({}) as never, { labels: this.#labels(decision, decision.runsOn), finalizers });
    if (decision.attempt === 1) {
      try {
        await state.create(resource(), anyone);
        return;
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    }
    const change = (draft: TypedDraft<StepRunSpec>) => {
      fill(draft.spec);
      draft.metadata.phase = 'running';
      draft.metadata.labels = this.#labels(decision, decision.runsOn);
      for (const name of finalizers) draft.metadata.finalizers.add(name);
    };
    try {
      await state.updateWithConflicts(StepRun.at(id), change, anyoneAnytime);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await state.create(resource(), anyone);
    }
  }

  async record({ result }: RecordDecision, state: ControllerState): Promise<void> {
    const blank = StepResult.new(this.id(result), {}, { labels: this.#labels(result) });
    const change = ({ spec }: TypedDraft<StepResultSpec>) => {
      spec.past = pastWith(spec);
      if (spec.attempt !== result.attempt) {
        spec.log = '';
        spec.pid = 0;
        spec.worker = '';
      }
      spec.run = this.#run.id;
      spec.step = result.step;
      spec.index = result.index;
      spec.attempt = result.attempt;
      spec.state = result.state;
      spec.retries = result.retries;
      spec.uncounted = result.uncounted ?? 0;
      spec.outputs = result.outputs ?? '';
      if (result.items !== undefined && result.items !== '') spec.items = result.items;
      spec.waitingFor = result.waitingFor ?? '';
      setOrClear(spec, 'error', errorOf(result.failure));
      setOrClear(spec, 'startedAt', timeOf(result.startedMs));
      setOrClear(spec, 'endedAt', timeOf(result.endedMs));
      setOrClear(spec, 'nextAttemptAt', timeOf(result.nextAttemptMs));
      setOrClear(spec, 'waitingUntil', timeOf(result.waitingUntilMs));
      setOrClear(spec, 'deadlineAt', timeOf(result.deadlineMs));
      if (result.signal !== undefined && result.signal !== '') spec.signal = result.signal;
      // What was taken once is not taken again, by whatever attempt.
      const signalAt = timeOfText(result.signalAt ?? '');
      if (signalAt !== undefined) spec.signalAt = signalAt;
      keepFirstStart(spec);
    };
    await state.modify(blank, change, anyoneAnytime);
  }

  async postpone(decision: Postpone, state: ControllerState): Promise<void> {
    const change = ({ spec }: TypedDraft<StepResultSpec>) => {
      if (spec.attempt === decision.attempt) spec.nextAttemptAt = timeOf(decision.nextAttemptMs);
    };
    await state.updateWithConflicts(StepResult.at(this.id(decision)), change, anyoneAnytime);
  }

  async stop(place: Place, state: ControllerState): Promise<void> {
    await state.teardown(StepRun.at(this.id(place)), anyone);
  }

  /** Makes the nested run, or has it tried again. Gives what comes of one that cannot be; undefined when it can. */
  async beginChild(decision: BeginChild, paused: boolean, state: ControllerState): Promise<ChildFact | undefined> {
    const { workflow, inputs, retries, priority, step, index } = decision;
    const id = this.id(decision);
    const refused = (message: string, unmade: ChildFact['unmade'], how: ChildFact['state'] = 'failed'): ChildFact => {
      return { step, index, state: how, retries, message, outputs: '', unmade };
    };
    if (this.#run.depth >= maxDepth) {
      return refused(`runs are nested ${maxDepth} deep: does a workflow call itself?`, 'rejected');
    }
    if ((await state.find(WorkflowRun.at(id))) !== undefined) {
      await state.updateWithConflicts(
        WorkflowRun.at(id),
        (draft) => {
          if (draft.spec.retries >= retries) return;
          draft.spec.retries = retries;
          draft.spec.paused = paused;
          draft.metadata.phase = 'running';
        },
        anyoneAnytime,
      );
      return undefined;
    }
    // It was made before, when its status says so.
    const status = await state.find(RunStatus.at(id));
    if (status !== undefined && status.spec.retries >= retries)
      return refused(destroyedMessage, undefined, 'cancelled');
    const called = await state.find(Workflow.at(workflow));
    if (called === undefined)
      return refused(`there is no workflow ${workflow}: ${this.#options.howToGive.workflow}`, 'error');
    const wrong = this.#wrongInputs(called.spec.source, inputs);
    if (wrong !== undefined) return refused(`the inputs of the workflow ${workflow} are wrong: ${wrong}`, 'rejected');
    const { nested } = this.#options;
    if (!nested.admit(id, this.#run.root)) {
      const all = `${nested.most} runs within ${this.#run.root} went on at once, and no other one is made until they are over`;
      return refused(`${all}: does a workflow call itself? Where so many are meant, parallel limits them`, 'rejected');
    }
    const run = WorkflowRun.new(
      id,
      { workflow, source: called.spec.source, inputs, paused, priority, retries, trigger: `run ${this.#run.id}` },
      {
        labels: {
          [labels.workflow]: workflow,
          [labels.parent]: this.#run.id,
          [labels.parentStep]: id,
          [labels.root]: this.#run.root,
          [labels.depth]: String(this.#run.depth + 1),
        },
        finalizers: [this.#options.keeping],
      },
    );
    try {
      await state.create(run, anyone);
    } catch (error) {
      if (isAlreadyExists(error)) return undefined;
      nested.over(id);
      throw error;
    }
    return undefined;
  }

  /** What is wrong with the inputs of a nested run. */
  #wrongInputs(source: string, inputs: string): string | undefined {
    let definition: Definition;
    try {
      definition = this.#options.readDefinition(source, false);
    } catch {
      // The run itself tells what is wrong with it.
      return undefined;
    }
    const { problems } = resolveInputs(definition, JSON.parse(inputs) as JsonObject);
    return problems === undefined ? undefined : inputProblemsText(problems);
  }

  /** False when there is no such run. */
  async stopChild(place: Place, state: ControllerState): Promise<boolean> {
    const child = WorkflowRun.at(this.id(place));
    if ((await state.find(child)) === undefined) return false;
    await state.teardown(child, anyone);
    return true;
  }

  async pauseChild(place: Place, paused: boolean, state: ControllerState): Promise<void> {
    try {
      await state.updateWithConflicts(
        WorkflowRun.at(this.id(place)),
        ({ spec }) => {
          spec.paused = paused;
        },
        anyoneAnytime,
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #stepRun(decision: Begin) {
    const { step, index, item, attempt, executor, action, timeoutMs, priority, uncounted, retries, runsOn } = decision;
    const isRemote = runsOn.size > 0;
    return {
      run: this.#run.id,
      step,
      index,
      item,
      attempt,
      worker: isRemote ? '' : this.#options.worker,
      idempotencyKey: `${this.id(decision)}/${this.#run.created}`,
      executor,
      action,
      timeoutMs: BigInt(Math.round(timeoutMs)),
      priority,
      uncounted,
      retries,
    };
  }

  #labels({ step, index }: Place, runsOn?: StepDefinition['runsOn']): Record<string, string> {
    const { id, workflow } = this.#run;
    const of: Record<string, string> = { [labels.run]: id, [labels.step]: step, [labels.workflow]: workflow };
    if (index >= 0) of[labels.batch] = batchOf(id, step);
    for (const [name, value] of runsOn ?? []) of[`${labels.runsOn}${name}`] = value;
    return of;
  }
}

function setOrClear<T extends object, K extends keyof T>(of: T, key: K, value: T[K] | undefined): void {
  if (value === undefined) delete of[key];
  else of[key] = value;
}
