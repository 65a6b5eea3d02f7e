import { nextTurn, type Random, type State, VirtualClock, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { onTestFinished } from 'vitest';
import type { Controller } from '../controller.js';
import type { Logger, LogLevel } from '../logger.js';
import type { QueueController } from '../queue-controller.js';
import { Runtime } from '../runtime.js';
import type { RuntimeOptions } from '../runtime-options.js';

/** Delays without jitter. */
export const steadyRandom: Random = { float: () => 0.5, bytes: (length) => new Uint8Array(length) };

export interface LogRecord {
  readonly level: LogLevel;
  readonly facts: Record<string, unknown>;
  readonly message: string | undefined;
}

export class RecordingLogger implements Logger {
  readonly records: LogRecord[];
  readonly #bound: Record<string, unknown>;

  constructor(records: LogRecord[] = [], bound: Record<string, unknown> = {}) {
    this.records = records;
    this.#bound = bound;
  }

  readonly debug = (facts: object, message?: string) => this.#add('debug', facts, message);
  readonly info = (facts: object, message?: string) => this.#add('info', facts, message);
  readonly warn = (facts: object, message?: string) => this.#add('warn', facts, message);
  readonly error = (facts: object, message?: string) => this.#add('error', facts, message);

  child(facts: Record<string, unknown>): Logger {
    return new RecordingLogger(this.records, { ...this.#bound, ...facts });
  }

  at(level: LogLevel): LogRecord[] {
    return this.records.filter((record) => record.level === level);
  }

  #add(level: LogLevel, facts: object, message: string | undefined): void {
    this.records.push({ level, facts: { ...this.#bound, ...facts }, message });
  }
}

export interface Harness {
  readonly state: State;
  readonly clock: VirtualClock;
  readonly logger: RecordingLogger;
  readonly runtime: Runtime;
  readonly aborter: AbortController;
  /** Starts the runtime, and gives the promise of its end. */
  start(): Promise<void>;
  /** Aborts and waits for the end. */
  stop(): Promise<void>;
}

/** A runtime in virtual time on a state in memory, ended with the test. */
export function harness(
  controllers: readonly (Controller | QueueController)[] = [],
  options: RuntimeOptions & { readonly core?: State } = {},
): Harness {
  const { core, ...runtimeOptions } = options;
  const clock = new VirtualClock();
  const logger = new RecordingLogger();
  const state = core ?? wrapState(new InMemoryState());
  const runtime = new Runtime(state, { clock, logger, random: steadyRandom, ...runtimeOptions });
  for (const controller of controllers) runtime.register(controller);
  const aborter = new AbortController();
  let running: Promise<void> | undefined;
  const stop = async () => {
    aborter.abort();
    await running;
  };
  onTestFinished(stop);
  return {
    state,
    clock,
    logger,
    runtime,
    aborter,
    start: () => {
      running = runtime.run({ signal: aborter.signal });
      return running;
    },
    stop,
  };
}

/** Lets everything run that waits neither for time nor for the outside, and checks until it holds. */
export async function eventually(check: () => void | Promise<void>): Promise<void> {
  let mismatch: unknown;
  for (let turn = 0; turn < 200; turn++) {
    await nextTurn();
    try {
      await check();
      return;
    } catch (error) {
      mismatch = error;
    }
  }
  throw mismatch;
}

/** Lets everything run that waits neither for time nor for the outside. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await nextTurn();
}

/** A promise to be settled from outside. */
export class Gate {
  open: () => void = () => undefined;
  fail: (error: unknown) => void = () => undefined;
  readonly opened = new Promise<void>((resolve, reject) => {
    this.open = resolve;
    this.fail = reject;
  });
}
