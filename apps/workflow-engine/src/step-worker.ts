import { closeAll } from '@cosi-ts/app-kit';
import type { Logger } from '@cosi-ts/runtime';
import { Runtime } from '@cosi-ts/runtime';
import { type Clock, type Random, type State, sleep, systemClock, systemRandom } from '@cosi-ts/state';
import { StepClaims } from './controllers/step-claims.js';
import { StepController, stepControllerName } from './controllers/step-controller.js';
import { processName } from './controllers/worker-controller.js';
import type { Executor } from './executors/executor.js';
import { Worker } from './resources/index.js';

export interface StepWorkerOptions {
  /** The one of the engine, for instance that of `connectState`. It is closed together with the worker. */
  readonly state: State;
  readonly executors: readonly Executor[];
  /** Of no other worker. */
  readonly name: string;
  /** Labels that steps can ask for with `runs-on`. */
  readonly serves: Readonly<Record<string, string>>;
  readonly logger: Logger;
  /** How many steps at once. Default: 4. */
  readonly slots?: number;
  /** After so long without a word the engine gives the worker's steps to others. Default: 15 000. */
  readonly leaseMs?: number;
  /** How long what is asked to end has for that. Default: 10 000. */
  readonly graceMs?: number;
  /** How logs are called for the engine, which has them not. Default: by nothing but their names. */
  readonly logName?: (name: string) => string;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Called last of all when it is closed. */
  readonly release?: (() => Promise<void>) | undefined;
}

/** Thrown out of a change to leave everything as it is. */
class Replaced extends Error {}

/** A process that executes steps which ask for what it serves, for an engine elsewhere. */
export class StepWorker implements AsyncDisposable {
  readonly runtime: Runtime;
  /** The name of this process, new with each start. */
  readonly process: string;
  /** Resolves when another worker has taken the name of this one, which is of no more use then. */
  readonly replaced: Promise<void>;
  readonly #options: StepWorkerOptions;
  readonly #clock: Clock;
  readonly #steps: StepController;
  readonly #claims: StepClaims;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly #beating: Promise<void>;
  #hasSaid = false;
  #giveWay: () => void = () => undefined;
  #closing: Promise<void> | undefined;

  constructor(options: StepWorkerOptions) {
    const { state, executors, name, serves, logger, slots = 4, graceMs, random = systemRandom, logName } = options;
    const clock = options.clock ?? systemClock;
    this.#options = options;
    this.#clock = clock;
    this.replaced = new Promise((resolve) => {
      this.#giveWay = resolve;
    });
    const start = Array.from(random.bytes(8), (byte) => byte.toString(16).padStart(2, '0')).join('');
    this.process = processName(name, start);
    this.#claims = new StepClaims({
      worker: this.process,
      serves: new Map(Object.entries(serves)),
      executors: new Set(executors.map((executor) => executor.name)),
      slots,
      executing: stepControllerName,
    });
    this.#steps = new StepController({
      state,
      executors,
      worker: this.process,
      clock,
      random,
      logger,
      claims: this.#claims,
      ...(logName === undefined ? {} : { logName }),
      ...(graceMs === undefined ? {} : { graceMs }),
    });
    this.runtime = new Runtime(state, { logger, clock, random, shutdownGraceMs: 1000 });
    this.runtime.register(this.#steps);
    this.#running = this.runtime.run();
    this.#beating = this.#beat();
  }

  /** Takes no more steps, ends those that it executes, and says goodbye. Can be called any number of times. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Says that it is there, three times for each lease; one that could not for a whole lease has lost its steps. */
  async #beat(): Promise<void> {
    const { logger, leaseMs = 15_000 } = this.#options;
    const { signal } = this.#stop;
    let saidMs = this.#clock.monotonicMs();
    while (!signal.aborted) {
      try {
        await this.#say(leaseMs);
        saidMs = this.#clock.monotonicMs();
      } catch (error) {
        if (error instanceof Replaced) {
          this.#loseName();
          return;
        }
        logger.warn({ err: error }, 'the engine cannot be told that the worker is there');
        if (this.#clock.monotonicMs() - saidMs >= leaseMs) this.#steps.loseAll('the worker could not be reached');
      }
      await sleep(this.#clock, leaseMs / 3, signal).catch(() => undefined);
    }
  }

  /** Two that took the name from each other by turns would have their steps lost by turns, and none would ever end. */
  #loseName(): void {
    const { logger, name } = this.#options;
    logger.error({ worker: name }, 'another worker has this name now, and this one ends: choose another --name');
    this.#claims.end();
    this.#steps.loseAll('another worker has taken its name');
    this.#giveWay();
  }

  async #say(leaseMs: number): Promise<void> {
    const { state, name, serves, executors, slots = 4 } = this.#options;
    await state.modify(
      Worker.new(name, { worker: this.process, leaseMs: BigInt(leaseMs) }),
      ({ spec }) => {
        // Whoever begins takes the name, since the one before may have been killed; it is not taken back.
        if (this.#hasSaid && spec.worker !== this.process) throw new Replaced();
        spec.worker = this.process;
        spec.serves = { ...serves };
        spec.executors = executors.map((executor) => executor.name);
        spec.slots = slots;
        spec.leaseMs = BigInt(leaseMs);
        spec.beat += 1n;
        spec.running = this.#steps.running;
      },
      { expectedPhase: 'any' },
    );
    this.#hasSaid = true;
  }

  async #close(): Promise<void> {
    const { state, release = async () => {} } = this.#options;
    this.#claims.end();
    this.#stop.abort();
    await this.#beating;
    await this.runtime.close();
    await this.#running;
    await closeAll([release, () => state.close(), () => this.#steps.close()]);
  }
}
