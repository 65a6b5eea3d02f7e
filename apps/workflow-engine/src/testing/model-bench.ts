import type { Definition } from '../definition/definition.js';
import type { Begin, Decision } from '../engine/decisions.js';
import type { AttemptFact, ChildFact, Failure, Place, ResultFact, SignalFact } from '../engine/facts.js';
import { RunModel } from '../engine/run-model.js';
import type { RunOutcome } from '../engine/run-outcome.js';
import { neverMade } from '../engine/waiting.js';
import type { JsonObject } from '../json.js';
import { isFinal } from '../resources/states.js';

export interface ModelBenchOptions {
  readonly inputs?: JsonObject;
  /** How many executions have room at once. Default: any number. */
  readonly room?: number;
  /** Puts what is stored into another order before a model is made of it. Default: as it was stored. */
  readonly shuffled?: <T>(values: readonly T[]) => readonly T[];
}

/** A model with what is stored of its run, in the place of the engine: it carries out decisions, and checks them. */
export class ModelBench {
  readonly definition: Definition;
  readonly attempts = new Map<string, AttemptFact>();
  readonly results = new Map<string, ResultFact>();
  readonly signals = new Map<string, SignalFact>();
  readonly children = new Map<string, { readonly place: Place; retries: number; stopped: boolean; end?: ChildFact }>();
  /** What was begun, in order: `step` or `step.index`, and `#attempt` after the first. */
  readonly begun: string[] = [];
  /** Every decision but those on room. */
  readonly decided: Decision[] = [];
  nowMs = 1000;
  retries = 0;
  paused = false;
  cancelling = false;
  begunMs = 1000;
  #model: RunModel;
  readonly #options: ModelBenchOptions;
  #requests: Place[] = [];
  #crash: number | undefined;
  readonly #roomOf = new Set<string>();

  constructor(definition: Definition, options: ModelBenchOptions = {}) {
    this.definition = definition;
    this.#options = options;
    this.#model = this.newModel();
    this.run();
  }

  get model(): RunModel {
    return this.#model;
  }

  get outcome(): RunOutcome | undefined {
    return this.#model.outcome;
  }

  /** The executions that an executor has now. */
  get active(): readonly string[] {
    return [...this.attempts]
      .filter(([id, { attempt }]) => {
        const result = this.results.get(id);
        return result === undefined || result.attempt < attempt || !isFinal(result.state);
      })
      .map(([id]) => id);
  }

  /** The states of the steps, in the order of the definition. */
  get states(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#model.summaries()].map(({ step, state }) => [step, state]));
  }

  newModel(): RunModel {
    const { shuffled = (values) => values } = this.#options;
    return new RunModel({
      id: 'run',
      workflow: 'test',
      definition: this.definition,
      inputs: this.#options.inputs ?? {},
      createdMs: 0,
      trigger: 'user',
      begunMs: this.begunMs,
      retries: this.retries,
      priority: 0,
      paused: this.paused,
      cancelling: this.cancelling,
      attempts: shuffled([...this.attempts.values()]),
      results: shuffled([...this.results.values()]),
      signals: shuffled([...this.signals.values()]),
    });
  }

  /** The engine ends and comes back: nothing is left but what is stored. */
  restart(): void {
    this.#requests = [];
    this.#roomOf.clear();
    for (const id of this.active) if (this.#needsRoom(id)) this.#roomOf.add(id);
    this.#model = this.newModel();
    for (const { end } of this.children.values()) if (end !== undefined) this.#model.child(end);
    this.run();
  }

  /** Carries out what the model decides, until that is nothing more. */
  run(): void {
    for (let rounds = 0; ; rounds++) {
      if (rounds > 10_000) throw new Error('the model does not come to rest');
      const decisions = this.#model.decide(this.nowMs);
      if (this.#crash !== undefined && decisions.length > 0) {
        this.#crashWith(decisions, this.#crash);
        return;
      }
      for (const decision of decisions) this.#carryOut(decision);
      if (!this.#grantNext() && decisions.length === 0) return;
    }
  }

  /**
   * The next time that the model decides anything, the engine ends while it carries that out: of the decisions those are
   * done whose bits are set. Then it comes back.
   */
  crashNext(bits: number): void {
    this.#crash = bits;
  }

  #crashWith(decisions: readonly Decision[], bits: number): void {
    this.#crash = undefined;
    for (const [place, decision] of decisions.entries()) if ((bits >> (place % 16)) & 1) this.#carryOut(decision);
    this.restart();
  }

  /** An executor ends the newest attempt of an execution. */
  end(
    id: string,
    outcome: 'succeeded' | 'cancelled' | Failure['reason'] = 'succeeded',
    outputs: JsonObject = {},
  ): void {
    const attempt = this.attempts.get(id);
    if (attempt === undefined || !this.active.includes(id)) throw new Error(`${id} does not execute`);
    const { step, index } = attempt;
    const isFailure = outcome !== 'succeeded' && outcome !== 'cancelled';
    const result: ResultFact = {
      step,
      index,
      attempt: attempt.attempt,
      uncounted: attempt.uncounted,
      retries: this.retries,
      state: isFailure ? 'failed' : outcome,
      outputs: outcome === 'succeeded' ? JSON.stringify(outputs) : '',
      failure: isFailure ? { reason: outcome, message: `${id} had ${outcome}` } : undefined,
      startedMs: attempt.begunMs,
      endedMs: this.nowMs,
    };
    this.results.set(id, result);
    this.#model.result(result);
    this.run();
  }

  /** Ends all that executes, and what that leads to, until nothing executes. */
  endAll(): void {
    for (let id = this.active[0]; id !== undefined; id = this.active[0]) {
      this.end(id, this.attempts.get(id)?.stopping === true ? 'cancelled' : 'succeeded');
    }
  }

  advance(ms: number): void {
    this.nowMs += ms;
    this.run();
  }

  signal(name: string, payload: unknown = null): void {
    const fact = { name, at: `at ${this.nowMs} ${this.signals.size}`, payload: JSON.stringify(payload) };
    this.signals.set(name, fact);
    this.#model.signal(fact);
    this.run();
  }

  endChild(id: string, state: ChildFact['state'] = 'succeeded', outputs: JsonObject = {}): void {
    const child = this.children.get(id);
    if (child === undefined) throw new Error(`there is no nested run ${id}`);
    const end: ChildFact = {
      ...child.place,
      state,
      retries: child.retries,
      message: '',
      outputs: state === 'succeeded' ? JSON.stringify(outputs) : '',
    };
    child.end = end;
    this.#model.child(end);
    this.run();
  }

  pause(paused: boolean): void {
    this.paused = paused;
    this.#model.pause(paused);
    this.run();
  }

  cancel(): void {
    this.cancelling = true;
    this.#model.cancel();
    this.run();
  }

  /** Tries a run again that is over. */
  retry(): void {
    this.retries++;
    this.cancelling = false;
    this.begunMs = this.nowMs;
    this.restart();
  }

  #carryOut(decision: Decision): void {
    if (decision.kind === 'admit') {
      this.#requests.push(decision);
      return;
    }
    if (decision.kind === 'release') {
      this.#roomOf.delete(idOf(decision));
      this.#requests = this.#requests.filter((place) => idOf(place) !== idOf(decision));
      return;
    }
    this.decided.push(decision);
    switch (decision.kind) {
      case 'begin':
        this.#begin(decision);
        return;
      case 'record': {
        const { result } = decision;
        const id = idOf(result);
        const before = this.results.get(id);
        const items = result.items === undefined || result.items === '' ? (before?.items ?? '') : result.items;
        this.results.set(id, { ...result, items });
        return;
      }
      case 'postpone': {
        const before = this.results.get(idOf(decision));
        if (before === undefined) throw new Error(`nothing is known of ${idOf(decision)}`);
        this.results.set(idOf(decision), { ...before, nextAttemptMs: decision.nextAttemptMs });
        return;
      }
      case 'stop': {
        const attempt = this.attempts.get(idOf(decision));
        if (attempt === undefined) throw new Error(`${idOf(decision)} was never begun`);
        this.attempts.set(idOf(decision), { ...attempt, stopping: true });
        return;
      }
      case 'begin-child': {
        const { step, index, retries } = decision;
        if ((this.children.get(idOf(decision))?.retries ?? -1) >= retries) return;
        this.children.set(idOf(decision), { place: { step, index }, retries, stopped: false });
        return;
      }
      case 'stop-child': {
        const child = this.children.get(idOf(decision));
        if (child !== undefined) child.stopped = true;
        else this.#model.child(neverMade(decision));
      }
    }
  }

  #begin(decision: Begin): void {
    const id = idOf(decision);
    const before = this.attempts.get(id);
    const result = this.results.get(id);
    if (this.active.includes(id)) throw new Error(`E13: ${id} executes already`);
    if (result?.state === 'succeeded') throw new Error(`E11: ${id} has succeeded already`);
    if (decision.attempt !== Math.max(before?.attempt ?? 0, result?.attempt ?? 0) + 1) {
      throw new Error(`E12: attempt ${decision.attempt} of ${id} comes after ${before?.attempt}`);
    }
    if (this.paused && !this.cancelling) throw new Error(`E5: ${id} begins while the run is paused`);
    const { step, index, attempt, uncounted, deadlineMs } = decision;
    this.attempts.set(id, { step, index, attempt, uncounted, deadlineMs, begunMs: this.nowMs, stopping: false });
    this.begun.push(attempt === 1 ? id : `${id}#${attempt}`);
    const of = this.definition.steps.get(step) ?? this.definition.finally.get(step);
    const limit = of?.forEach?.parallel ?? Number.POSITIVE_INFINITY;
    const atOnce = this.active.filter((other) => this.attempts.get(other)?.step === step).length;
    if (atOnce > limit) throw new Error(`E9: ${atOnce} of ${step} execute at once`);
  }

  #needsRoom(id: string): boolean {
    const name = this.attempts.get(id)?.step ?? '';
    const step = this.definition.steps.get(name) ?? this.definition.finally.get(name);
    return step?.runsOn.size === 0;
  }

  #grantNext(): boolean {
    const [next, ...rest] = this.#requests;
    if (next === undefined || this.#roomOf.size >= (this.#options.room ?? Number.POSITIVE_INFINITY)) return false;
    this.#requests = rest;
    this.#roomOf.add(idOf(next));
    this.#model.grant(next);
    return true;
  }
}

function idOf({ step, index }: Place): string {
  return index < 0 ? step : `${step}.${index}`;
}
