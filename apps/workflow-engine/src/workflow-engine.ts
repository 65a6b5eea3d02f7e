import { InUseError, InvalidArgumentError, type TypedResource } from '@cosi-ts/resource';
import { type HostProcess, installProcessHandlers, type Logger, Runtime, type RuntimeOptions } from '@cosi-ts/runtime';
import {
  type Clock,
  type Random,
  registerNamespace,
  registerType,
  type State,
  systemClock,
  systemRandom,
} from '@cosi-ts/state';
import { OrphanController } from './controllers/orphan-controller.js';
import { RetentionController } from './controllers/retention-controller.js';
import { RunController, runControllerName } from './controllers/run-controller.js';
import { ScheduleController } from './controllers/schedule-controller.js';
import { StepController, stepControllerName } from './controllers/step-controller.js';
import { WorkerController } from './controllers/worker-controller.js';
import type { Definition } from './definition/definition.js';
import { definitionOf } from './definition/definition-cache.js';
import type { RetentionLimits } from './engine/retention.js';
import type { Executor } from './executors/executor.js';
import type { WorkflowRunSpec } from './gen/cosi/workflows/v1/workflows_pb.js';
import type { HowToGive } from './how-to-give.js';
import { workflowsNamespace } from './resources/index.js';
import { workflowTypes } from './resources/registry.js';
import { RunRequests } from './run-requests.js';

/** How many steps of one kind the engine executes at once, where nothing else is said. */
export const defaultSlots = Object.freeze({ run: 8, http: 32, function: 64 });

/** Which runs are kept after their end: the last hundred of each workflow, for a week. */
export const defaultRetention: RetentionLimits = Object.freeze({ count: 100, ageMs: 7 * 86_400_000 });

export interface WorkflowEngineOptions {
  /**
   * Closed together with the engine, as are the executors.
   *
   * **Only one engine may work on a state at a time**, or steps are executed twice. Of two in one process the second
   * rejects with `in-use`. Of a state that several processes reach, whoever starts engines has to see to it: with a lock,
   * as `startApp` does by that of its data folder, or as the leader of an election:
   * `const lease = await new StateElection(state).campaign('workflow-engine')` of `@cosi-ts/runtime` before the start, and
   * `close()` when `lease.signal` aborts.
   */
  readonly state: State;
  readonly executors: readonly Executor[];
  readonly logger: Logger;
  /**
   * Reads the text of a definition; throws for one that is none. Of a run that has begun it is to take also what only an
   * earlier version took. Default: as YAML.
   */
  readonly readDefinition?: (source: string, isBegun: boolean) => Definition;
  /** How many steps of an executor there are at once, by its name. Default: {@link defaultSlots}, and 16 of others. */
  readonly slots?: Readonly<Record<string, number>>;
  /** How long what is asked to end has for that. Default: 10 000. */
  readonly graceMs?: number;
  /** How often the status of a run is written at most while its state stays the same. Default: 200. */
  readonly statusIntervalMs?: number;
  /** How many runs within one go on at once, however deep they are nested. Default: 10 000. */
  readonly maxNestedRuns?: number;
  /** Which runs are kept after their end. Default: {@link defaultRetention}. */
  readonly retention?: Partial<RetentionLimits>;
  /** How often it is looked for runs that are kept no longer. Default: 10 000. */
  readonly retentionIntervalMs?: number;
  /** Where errors are caught that controllers let escape. Default: nowhere, they end the process. */
  readonly hostProcess?: HostProcess;
  /** How it is given what a run misses, as messages tell it. Default: with commands of its own. */
  readonly howToGive?: HowToGive;
  /** Where what the controllers do is measured. Default: nowhere. */
  readonly meter?: RuntimeOptions['meter'];
  readonly clock?: Clock;
  readonly random?: Random;
}

/** The states that engines of this process work on. */
const inUse = new WeakSet<object>();

/** The resources, the controllers and the executors of the app, running. What serves them to the world is put on top. */
export class WorkflowEngine implements AsyncDisposable {
  readonly state: State;
  readonly runtime: Runtime;
  /** The name of this process, new with each start. */
  readonly name: string;
  readonly #requests: RunRequests;
  readonly #executors: readonly Executor[];
  readonly #steps: StepController;
  readonly #handlers: Disposable | undefined;
  readonly #running: Promise<void>;
  #closing: Promise<void> | undefined;

  private constructor(options: WorkflowEngineOptions) {
    const { state, executors, logger, clock = systemClock, random = systemRandom, graceMs, statusIntervalMs } = options;
    const { maxNestedRuns, howToGive } = options;
    this.state = state;
    this.#executors = executors;
    this.name = `engine-${Array.from(random.bytes(8), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
    this.#requests = new RunRequests(state, { random, keeping: runControllerName });
    this.runtime = new Runtime(state, { logger, clock, random, meter: options.meter, shutdownGraceMs: 1000 });
    const names = executors.map(({ name }) => name).filter((name) => !Object.hasOwn(defaultSlots, name));
    const readDefinition = (source: string, isBegun: boolean) => definitionOf(source, { executors: names, isBegun });
    const runs = new RunController({
      readDefinition: options.readDefinition ?? readDefinition,
      worker: this.name,
      executing: stepControllerName,
      room: { limits: { ...defaultSlots, ...options.slots }, defaultLimit: 16 },
      clock,
      ...(statusIntervalMs === undefined ? {} : { statusIntervalMs }),
      ...(maxNestedRuns === undefined ? {} : { maxNestedRuns }),
      ...(howToGive === undefined ? {} : { howToGive }),
    });
    this.#steps = new StepController({
      state,
      executors,
      worker: this.name,
      clock,
      random,
      logger,
      ...(graceMs === undefined ? {} : { graceMs }),
      ...(howToGive === undefined ? {} : { howToGive }),
    });
    this.runtime.register(runs);
    this.runtime.register(this.#steps);
    this.runtime.register(new WorkerController({ state, clock, executing: stepControllerName }));
    this.runtime.register(new ScheduleController({ clock, keeping: runControllerName }));
    const forget = async (run: string) => {
      for (const executor of executors) await executor.forget?.(run);
    };
    const leaving = new Set<string>();
    this.runtime.register(new OrphanController({ keeping: runControllerName, clock, forget, leaving }));
    this.runtime.register(
      new RetentionController({
        limits: { ...defaultRetention, ...options.retention },
        intervalMs: options.retentionIntervalMs ?? 10_000,
        clock,
        keeping: runControllerName,
        executing: stepControllerName,
        forget,
        leaving,
      }),
    );
    const { hostProcess } = options;
    this.#handlers = hostProcess === undefined ? undefined : installProcessHandlers(this.runtime, hostProcess);
    this.#running = this.runtime.run();
  }

  /** Publishes the types and starts the controllers. Rejects with `in-use` when an engine of this process has the state. */
  static async start(options: WorkflowEngineOptions): Promise<WorkflowEngine> {
    for (const limit of Object.values(options.slots ?? {})) {
      if (!Number.isInteger(limit) || limit < 1) throw new InvalidArgumentError(`${limit} is no number of slots`);
    }
    const known = [...new Set([...Object.keys(defaultSlots), ...options.executors.map(({ name }) => name)])];
    for (const name of Object.keys(options.slots ?? {})) {
      if (known.includes(name)) continue;
      throw new InvalidArgumentError(
        `there are no slots for ${name}: no executor has that name; there are ${known.join(', ')}`,
      );
    }
    const { core } = options.state;
    if (inUse.has(core)) {
      throw new InUseError('another engine of this process works on the state: close that one first');
    }
    inUse.add(core);
    try {
      await registerNamespace(options.state, workflowsNamespace, 'Workflows, their runs and the steps of these');
      for (const type of workflowTypes) await registerType(options.state, type as never);
      return new WorkflowEngine(options);
    } catch (error) {
      inUse.delete(core);
      throw error;
    }
  }

  /** See {@link RunRequests.start}. */
  startRun(...args: Parameters<RunRequests['start']>): Promise<TypedResource<WorkflowRunSpec>> {
    return this.#requests.start(...args);
  }

  /** See {@link RunRequests.cancel}. */
  cancel(...args: Parameters<RunRequests['cancel']>): Promise<void> {
    return this.#requests.cancel(...args);
  }

  /** See {@link RunRequests.retry}. */
  retry(...args: Parameters<RunRequests['retry']>): Promise<void> {
    return this.#requests.retry(...args);
  }

  /** See {@link RunRequests.signal}. */
  signal(...args: Parameters<RunRequests['signal']>): Promise<void> {
    return this.#requests.signal(...args);
  }

  /** See {@link RunRequests.pause}. */
  pause(...args: Parameters<RunRequests['pause']>): Promise<void> {
    return this.#requests.pause(...args);
  }

  /**
   * Ends the controllers, then what executes, then the state. Processes of steps go on, and are found by the next engine
   * on this state. Can be called any number of times.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Ends by force what executes, at once: for who ends this process without waiting, when nothing is kept. */
  endNow(): void {
    for (const executor of this.#executors) executor.endNow?.();
  }

  async #close(): Promise<void> {
    await this.runtime.close();
    await this.#running;
    const errors: unknown[] = [];
    for (const end of [() => this.#steps.close(), () => this.state.close()]) {
      await end().catch((error: unknown) => errors.push(error));
    }
    inUse.delete(this.state.core);
    this.#handlers?.[Symbol.dispose]();
    if (errors.length > 0) throw new AggregateError(errors, errors.map((error) => String(error)).join('; '));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
