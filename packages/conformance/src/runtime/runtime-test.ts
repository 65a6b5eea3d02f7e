import { isNotFound, type TypedKind, type TypedPointer, type TypedResource } from '@cosi-ts/resource';
import type { Controller, ControllerReport, QueueController, RuntimeOptions } from '@cosi-ts/runtime';
import { type CoreState, type State, wrapState } from '@cosi-ts/state';
import { check, equal } from '../assertions.js';
import { CountedAbort } from '../counted-abort.js';
import { type Deadline, within } from '../deadline.js';
import { disposeSubject, type StateUnderTest } from '../subject.js';
import { CountedClock } from './counted-clock.js';
import { Ints } from './kinds.js';
import { type ObservedCore, observed } from './observed-core.js';
import { RecordingLog } from './recording-log.js';
import type { ConformingRuntime, RuntimePackage } from './runtime-package.js';

type AnyController = Controller | QueueController;

/** How often a test looks again. */
const lookMs = 2;

/** What fails is tried again soon. */
const backoff = { initialMs: 2, maxMs: 20 };

/** For what must not be tried again while a test looks. */
export const patientBackoff = { initialMs: 3_600_000, maxMs: 3_600_000 };

/** A runtime that runs. */
export interface Run {
  readonly runtime: ConformingRuntime;
  readonly signal: CountedAbort;
  /** Resolves when the run has ended. */
  readonly ended: Promise<void>;
  report(controller: string): ControllerReport;
  /** Aborts its signal, and waits. Can be called any number of times. */
  stop(): Promise<void>;
}

/** What a test works with: a fresh state, and short ways to do what most tests do. */
export class RuntimeTest {
  readonly lib: RuntimePackage;
  /** What runtimes are given. */
  readonly core: ObservedCore;
  /** For the test itself. */
  readonly state: State;
  readonly log = new RecordingLog();
  /** The runtimes' one. */
  readonly clock: CountedClock;
  readonly deadline: Deadline;
  readonly #subject: StateUnderTest;
  readonly #cleanups: (() => void | Promise<void>)[] = [];

  constructor(subject: StateUnderTest, lib: RuntimePackage, deadline: Deadline) {
    this.#subject = subject;
    this.lib = lib;
    this.deadline = deadline;
    this.clock = new CountedClock(deadline.clock);
    this.core = observed(subject.state);
    this.state = subject.wrapped ?? wrapState(subject.state);
    this.#cleanups.push(() => disposeSubject(subject));
  }

  /** How many watches hold something inside the state, where the factory tells. */
  stateWatches(): number {
    const count = this.#subject.openWatches;
    check(count !== undefined, 'the factory must give openWatches, as the features say');
    return count();
  }

  /** Runs at the end of the test, the last one first. */
  cleanup(action: () => void | Promise<void>): void {
    this.#cleanups.push(action);
  }

  async end(): Promise<void> {
    for (let cleanup = this.#cleanups.pop(); cleanup !== undefined; cleanup = this.#cleanups.pop()) await cleanup();
  }

  /** A runtime that does not run yet. */
  runtime(options: RuntimeOptions = {}, core: CoreState = this.core): ConformingRuntime {
    return new this.lib.Runtime(core, {
      clock: this.clock,
      logger: this.log,
      backoff,
      watchBackoff: backoff,
      shutdownGraceMs: this.deadline.waitMs,
      ...options,
    });
  }

  /** Runs the controllers until the test ends. */
  run(controllers: readonly AnyController[], options: RuntimeOptions = {}, core?: CoreState): Run {
    const runtime = this.runtime(options, core);
    for (const controller of controllers) runtime.register(controller);
    return this.start(runtime);
  }

  /** Runs the runtime until the test ends. */
  start(runtime: ConformingRuntime): Run {
    const signal = new CountedAbort();
    const ended = this.started(runtime.run({ signal: signal.signal }));
    const stop = async () => {
      signal.abort(new Error('the test has ended'));
      await this.within(ended, 'the end of the runtime');
    };
    this.cleanup(stop);
    const report = (name: string) => {
      const found = runtime.report().controllers.find((each) => each.name === name);
      check(found !== undefined, `the runtime's report must have the controller ${name}`);
      return found;
    };
    return { runtime, signal, ended, report, stop };
  }

  /** A call that goes on while the test does something else. */
  started<T>(call: Promise<T>): Promise<T> {
    call.catch(() => undefined);
    return call;
  }

  within<T>(promise: Promise<T>, waitingFor: string): Promise<T> {
    return within(this.deadline, promise, waitingFor);
  }

  /** Looks until the check passes. At the deadline it fails with what the check said last. */
  async eventually(look: () => void | Promise<void>): Promise<void> {
    let late = false;
    const { clock, waitMs } = this.deadline;
    const timer = clock.schedule(waitMs, () => {
      late = true;
    });
    try {
      for (;;) {
        try {
          return await look();
        } catch (error) {
          if (late) throw error;
        }
        await new Promise<void>((resolve) => clock.schedule(lookMs, resolve));
      }
    } finally {
      timer.cancel();
    }
  }

  /** Waits until something becomes true. */
  until(holds: () => boolean | Promise<boolean>, what: string | (() => string)): Promise<void> {
    return this.eventually(async () => {
      check(await holds(), `waited in vain until ${typeof what === 'string' ? what : what()}`);
    });
  }

  /** Waits until the value is the one. */
  becomes(value: () => unknown, expected: unknown, what: string): Promise<void> {
    return this.eventually(async () => equal(await value(), expected, what));
  }

  async put(id: string, value: number, labels: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.state.modify(Ints.at(id), (draft) => {
      draft.spec.value = value;
      for (const [key, label] of Object.entries(labels)) draft.metadata.labels[key] = label;
    });
  }

  /** Puts `count` ints: `prefix0`, `prefix1` and so on, each with its number. */
  async putMany(prefix: string, count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, (_, i) => `${prefix}${i}`);
    await Promise.all(ids.map((id, i) => this.put(id, i)));
    return ids;
  }

  async find<S>(pointer: TypedPointer<S>): Promise<TypedResource<S> | undefined> {
    try {
      return await this.state.get(pointer);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async exists(pointer: TypedPointer<unknown>): Promise<boolean> {
    return (await this.find(pointer)) !== undefined;
  }

  /** What is there of a kind: the specs by their ids. */
  async specs<S>(kind: TypedKind<S>): Promise<Record<string, unknown>> {
    return Object.fromEntries((await this.state.list(kind)).map(({ metadata, spec }) => [metadata.id, spec]));
  }

  /** Waits until the specs of a kind are these, by their ids. */
  specsBecome<S>(kind: TypedKind<S>, expected: Readonly<Record<string, S>>, what: string): Promise<void> {
    return this.becomes(() => this.specs(kind), expected, what);
  }
}
