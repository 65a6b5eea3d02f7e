import type { TypedResource } from '@cosi-ts/resource';
import { type CoreState, type State, VirtualClock, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { advanceUntil, RecordingLogger, steadyRandom, untilList, untilResource } from '@cosi-ts/testing';
import type { Definition } from '../definition/definition.js';
import type { Executor } from '../executors/executor.js';
import type { RunStatusSpec } from '../gen/cosi/workflows/v1/workflows_pb.js';
import type { JsonObject } from '../json.js';
import { RunStatus, StepResult, Workflow } from '../resources/index.js';
import { isFinal } from '../resources/states.js';
import { WorkflowEngine, type WorkflowEngineOptions } from '../workflow-engine.js';
import { HeldExecutor } from './held-executor.js';
import { unclosed } from './unclosed.js';

export interface FixtureOptions extends Partial<Omit<WorkflowEngineOptions, 'state' | 'executors'>> {
  readonly executors?: () => readonly Executor[];
  /** Default: one in memory, which outlives the engine. */
  readonly core?: CoreState;
  /** What the engine sees of the state. Default: all. */
  readonly seen?: (state: State) => State;
  /** Whether errors may be logged. Default: one makes the test fail. */
  readonly expectsErrors?: boolean;
}

/** An engine in virtual time, with definitions by the name of their workflow, on a state that outlives it. */
export class EngineFixture implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly state: State;
  readonly log = new RecordingLogger();
  executor = new HeldExecutor();
  engine!: WorkflowEngine;
  readonly #definitions: Record<string, Definition>;
  readonly #options: FixtureOptions;

  private constructor(definitions: Readonly<Record<string, Definition>>, options: FixtureOptions) {
    this.#definitions = { ...definitions };
    this.#options = options;
    this.state = wrapState(options.core ?? new InMemoryState(undefined, { clock: this.clock }));
  }

  static async start(
    definitions: Readonly<Record<string, Definition>>,
    options: FixtureOptions = {},
  ): Promise<EngineFixture> {
    const fixture = new EngineFixture(definitions, options);
    for (const name of Object.keys(definitions)) await fixture.state.create(Workflow.new(name, { source: name }));
    await fixture.startEngine();
    return fixture;
  }

  async startEngine(): Promise<void> {
    const {
      executors = () => [this.executor],
      core: _,
      expectsErrors: __,
      seen = (all) => all,
      ...rest
    } = this.#options;
    this.engine = await WorkflowEngine.start({
      logger: this.log,
      clock: this.clock,
      random: { ...steadyRandom, bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
      graceMs: 1000,
      readDefinition: (source) => {
        const known = this.#definitions[source];
        if (known === undefined) throw new Error(`${source} is no definition`);
        return known;
      },
      ...rest,
      state: seen(unclosed(this.state)),
      executors: executors(),
    });
  }

  /** Adds a workflow to those that there are. */
  async addWorkflow(name: string, definition: Definition): Promise<void> {
    this.#definitions[name] = definition;
    await this.state.create(Workflow.new(name, { source: name }));
  }

  /** The engine ends and another one starts. What its executors held is lost with it. */
  async restart(executor = new HeldExecutor()): Promise<void> {
    await this.wait(this.engine.close());
    this.executor = executor;
    await this.startEngine();
  }

  /** Waits, while virtual time goes on. */
  wait<T>(promise: Promise<T>, maxMs = 60_000): Promise<T> {
    return advanceUntil(this.clock, promise, { maxMs });
  }

  async run(workflow: string, inputs: JsonObject = {}, id = workflow): Promise<string> {
    await this.engine.startRun(workflow, { id, inputs });
    return id;
  }

  untilStatus(id: string, check: (spec: TypedResource<RunStatusSpec>['spec']) => unknown) {
    return this.wait(untilResource(this.state, RunStatus.at(id), ({ spec }) => check(spec) as boolean));
  }

  untilOver(id: string) {
    return this.untilStatus(id, ({ state }) => isFinal(state));
  }

  untilResult(id: string, state: string) {
    return this.wait(untilResource(this.state, StepResult.at(id), ({ spec }) => spec.state === state));
  }

  /** The states of the results of a run, by what follows its id. */
  async results(run: string): Promise<Record<string, string>> {
    const all = await this.state.list(StepResult.kind);
    const own = all.filter(({ spec }) => spec.run === run);
    return Object.fromEntries(own.map(({ metadata, spec }) => [metadata.id.slice(run.length + 1), spec.state]));
  }

  untilResults(run: string, states: Readonly<Record<string, string>>) {
    const check = (all: readonly TypedResource<{ readonly run: string; readonly state: string }>[]) =>
      Object.entries(states).every(([name, state]) =>
        all.some(({ metadata, spec }) => metadata.id === `${run}.${name}` && spec.state === state),
      );
    return this.wait(untilList(this.state, StepResult.kind, (all) => check(all as never)));
  }

  async close(): Promise<void> {
    await this.wait(this.engine.close());
    await this.state.close();
    const [error] = this.log.at('error');
    if (error !== undefined && !this.#options.expectsErrors) {
      throw new Error(`an error was logged: ${error.message}`, { cause: error.facts.err ?? error.facts });
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
