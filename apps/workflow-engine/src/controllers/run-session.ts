import { label, type TypedResource } from '@cosi-ts/resource';
import type { ControllerState } from '@cosi-ts/runtime';
import { nextTurn } from '@cosi-ts/state';
import type { Definition } from '../definition/definition.js';
import type { Admit, Decision } from '../engine/decisions.js';
import type { Place, ResultFact, SignalFact } from '../engine/facts.js';
import type { Room } from '../engine/room.js';
import { RunModel } from '../engine/run-model.js';
import { expectedSignals } from '../engine/signal-name.js';
import { neverMade } from '../engine/waiting.js';
import type { WorkflowRunSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import type { JsonObject } from '../json.js';
import { RunStatus, Signal, StepResult, StepRun } from '../resources/index.js';
import { labels, signalId } from '../resources/labels.js';
import { DecisionWriter, type DecisionWriterOptions, type RunIdentity } from './decision-writer.js';
import { attemptFact, childFact, resultFact, signalFact } from './run-resources.js';

/** So many writes are begun before others have their turn. */
const atOnce = 512;
/** So many decisions are carried out before the model decides on more. */
const mostTogether = 500;

/** What changed of a run, by id, since it was looked at. */
export class Inbox {
  readonly results = new Set<string>();
  readonly signals = new Set<string>();
  readonly children = new Set<string>();
}

export interface RunBeginning {
  readonly run: TypedResource<WorkflowRunSpec>;
  readonly definition: Definition;
  readonly inputs: JsonObject;
  readonly begunMs: number;
  readonly retries: number;
}

export interface RunSessionOptions extends DecisionWriterOptions {
  readonly room: Room;
  /** Has the run looked at. */
  readonly wake: () => void;
}

/** One run while it goes on: its model, and what links that to the resources. */
export class RunSession {
  readonly inbox: Inbox;
  readonly model: RunModel;
  readonly #options: RunSessionOptions;
  readonly #id: string;
  readonly #writer: DecisionWriter;
  readonly #children = new Map<string, Place>();
  readonly #rooms = new Set<string>();
  #todo: Decision[] = [];
  #paused: boolean;

  private constructor(beginning: RunBeginning, stored: Stored, inbox: Inbox, options: RunSessionOptions) {
    const { run, definition, inputs, begunMs, retries } = beginning;
    this.inbox = inbox;
    this.#options = options;
    this.#id = run.metadata.id;
    this.#paused = run.spec.paused;
    this.#writer = new DecisionWriter(identityOf(run), options);
    this.model = new RunModel({
      id: this.#id,
      workflow: run.spec.workflow,
      definition,
      inputs,
      createdMs: run.metadata.created.toDate().getTime(),
      trigger: run.spec.trigger,
      begunMs,
      retries,
      priority: definition.priority + run.spec.priority,
      paused: run.spec.paused,
      cancelling: run.metadata.phase === 'tearingDown',
      ...stored,
    });
    for (const place of this.model.children) this.#addChild(place);
  }

  /** Makes the model of a run from what is stored. What changes meanwhile is in the inbox. */
  static async open(
    beginning: RunBeginning,
    inbox: Inbox,
    state: ControllerState,
    options: RunSessionOptions,
  ): Promise<RunSession> {
    const { id } = beginning.run.metadata;
    const ofRun = { labels: [label(labels.run).is(id)] };
    const [attempts, results, signals] = await Promise.all([
      state.list(StepRun.kind, ofRun),
      state.list(StepResult.kind, ofRun),
      findSignals(beginning.definition, id, state),
    ]);
    const stored = {
      attempts: attempts.map(attemptFact),
      results: results.map(resultFact).filter((fact) => fact !== undefined),
      signals,
    };
    const session = new RunSession(beginning, stored, inbox, options);
    for (const child of session.#children.keys()) inbox.children.add(child);
    return session;
  }

  /** Decides, and takes up in the room what executes already. For a session that was opened. */
  takeUp(nowMs: number): void {
    this.plan(nowMs);
    for (const admit of this.model.holding) {
      const id = this.#writer.id(admit);
      this.#rooms.add(id);
      this.#options.room.hold(id, admit);
    }
  }

  /** Gives back all room. Nothing is done with it any more. */
  close(): void {
    for (const id of this.#rooms) this.#options.room.release(id);
    this.#rooms.clear();
  }

  /** Tells the model what is in the inbox, and how the run is wanted. */
  async takeIn(run: TypedResource<WorkflowRunSpec>, state: ControllerState): Promise<void> {
    const { results, signals, children } = this.inbox;
    const [ids, names, runs] = [[...results], [...signals], [...children]];
    for (const each of [results, signals, children]) each.clear();
    const found = await Promise.all([
      Promise.all(ids.map((id) => state.find(StepResult.at(id)))),
      Promise.all(names.map((id) => state.find(Signal.at(id)))),
      Promise.all(runs.map((id) => state.find(RunStatus.at(id)))),
    ]);
    for (const result of found[0]) {
      const fact = result === undefined ? undefined : resultFact(result);
      if (fact !== undefined) this.model.result(fact);
    }
    for (const signal of found[1]) if (signal !== undefined) this.model.signal(signalFact(signal));
    for (const [index, status] of found[2].entries()) {
      const place = this.#children.get(runs[index] ?? '');
      const fact = status === undefined || place === undefined ? undefined : childFact(place, status);
      if (fact !== undefined) this.model.child(fact);
    }
    if (run.metadata.phase === 'tearingDown') this.model.cancel();
    if (run.spec.paused !== this.#paused) {
      this.#paused = run.spec.paused;
      this.model.pause(this.#paused);
      const open = [...this.model.children];
      await Promise.all(open.map((place) => this.#writer.pauseChild(place, this.#paused, state)));
    }
  }

  /** Has the model decide, as much as is carried out together. Room is asked for and given back at once. */
  plan(nowMs: number): void {
    while (this.#todo.length < mostTogether) {
      const decisions = this.model.decide(nowMs);
      if (decisions.length === 0) return;
      for (const decision of decisions) {
        if (decision.kind === 'admit') this.#admit(decision);
        else if (decision.kind === 'release') this.#release(decision);
        else this.#todo.push(decision);
      }
    }
  }

  get hasWork(): boolean {
    return this.#todo.length > 0;
  }

  /** Carries out what was decided, all of it together. When one write fails, the session is of no use any more. */
  async carryOut(state: ControllerState): Promise<void> {
    const todo = this.#todo;
    this.#todo = [];
    const begun: Promise<void>[] = [];
    for (const decision of todo) {
      const writing = this.#carryOut(decision, state);
      // What fails is thrown at the end, when all have ended.
      writing.catch(() => undefined);
      begun.push(writing);
      // Whoever else has something to do is not to wait for thousands of writes to begin.
      if (begun.length % atOnce === 0) await nextTurn();
    }
    const outcomes = await Promise.allSettled(begun);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  async #carryOut(decision: Decision, state: ControllerState): Promise<void> {
    const writer = this.#writer;
    switch (decision.kind) {
      case 'begin':
        return writer.begin(decision, state);
      case 'record':
        return writer.record(decision, state);
      case 'postpone':
        return writer.postpone(decision, state);
      case 'stop':
        return writer.stop(decision, state);
      case 'stop-child':
        if (!(await writer.stopChild(decision, state))) this.model.child(neverMade(decision));
        return;
      case 'begin-child': {
        this.#addChild(decision);
        const refused = await writer.beginChild(decision, this.#paused, state);
        if (refused !== undefined) this.model.child(refused);
        return;
      }
    }
  }

  #addChild(place: Place): void {
    this.#children.set(this.#writer.id(place), { step: place.step, index: place.index });
  }

  #admit(admit: Admit): void {
    const id = this.#writer.id(admit);
    this.#rooms.add(id);
    let within = true;
    this.#options.room.request(id, admit, () => {
      this.model.grant(admit);
      // What is granted at once is decided on at once.
      if (!within) this.#options.wake();
    });
    within = false;
  }

  #release(place: Place): void {
    const id = this.#writer.id(place);
    this.#rooms.delete(id);
    this.#options.room.release(id);
  }
}

interface Stored {
  readonly attempts: readonly ReturnType<typeof attemptFact>[];
  readonly results: readonly ResultFact[];
  readonly signals: readonly SignalFact[];
}

/** The signals of a run. Most can be known by name, so that those of other runs are not read. */
async function findSignals(definition: Definition, run: string, state: ControllerState): Promise<SignalFact[]> {
  const { fixed, hasOthers } = expectedSignals(definition);
  if (hasOthers) {
    const all = await state.list(Signal.kind);
    return all.filter(({ spec }) => spec.run === run).map(signalFact);
  }
  const found = await Promise.all([...fixed].map((name) => state.find(Signal.at(signalId(run, name)))));
  return found.filter((signal) => signal !== undefined).map(signalFact);
}

function identityOf({ metadata, spec }: TypedResource<WorkflowRunSpec>): RunIdentity {
  return {
    id: metadata.id,
    created: metadata.created.toString(),
    workflow: spec.workflow,
    root: metadata.labels[labels.root] ?? metadata.id,
    depth: Number(metadata.labels[labels.depth] ?? 0),
  };
}
