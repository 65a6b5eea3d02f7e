import type { Kind, Pointer, Resource, TypedKind, TypedPointer, TypedResource } from '@cosi-ts/resource';
import { type Controller, type QueueController, Runtime, type RuntimeOptions } from '@cosi-ts/runtime';
import { type CoreState, type State, VirtualClock, wrapState } from '@cosi-ts/state';
import { advanceUntil } from './advance-until.js';
import { CountedClock } from './counted-clock.js';
import { CountedSignal } from './counted-signal.js';
import { type CountedWatches, countedWatches } from './counted-watches.js';
import { type DestroyAndWaitOptions, destroyAndWait } from './destroy-and-wait.js';
import type { Check } from './expectation.js';
import { ExpectationError, isExpectation, LeakError } from './expectation-error.js';
import { HostResources } from './host-resources.js';
import { RecordingLogger } from './recording-logger.js';
import { indented } from './shown.js';
import { steadyRandom } from './steady-random.js';
import { type UntilListOptions, untilLength, untilList } from './until-list.js';
import type { UntilOptions } from './until-options.js';
import { untilAbsent, untilResource, untilResources } from './until-resource.js';

export interface TestRuntimeOptions extends Omit<RuntimeOptions, 'clock' | 'logger'> {
  /** The clock of the runtime. Default: a new virtual one, which goes on by itself while the test waits. */
  readonly clock?: RuntimeOptions['clock'];
  /** Default: one that keeps the records, see {@link TestRuntime.log}. */
  readonly logger?: RuntimeOptions['logger'];
  /** How long the test waits for anything, by the host's clock. Default: 5000. */
  readonly timeoutMs?: number | undefined;
  /** How much virtual time passes at most during one wait. Default: 60 000. */
  readonly advanceMs?: number | undefined;
  /**
   * Whether {@link TestRuntime.close} compares what the process holds open with what it held before. Other tests of the
   * process must not run meanwhile. Default: true.
   */
  readonly checkHost?: boolean | undefined;
}

/**
 * A runtime that runs for the length of a test, on a state of the test's choice, in virtual time and without jitter unless
 * other ones are given.
 *
 * @example
 * await using test = testRuntime(new InMemoryState(), [new LampController(house)]);
 * await test.state.create(Lamp.new('desk', { brightness: 3 }));
 * await test.untilResource(LampStatus.at('desk'), ({ spec }) => expect(spec.brightness).toBe(3));
 */
export function testRuntime(
  core: CoreState,
  controllers: readonly (Controller | QueueController)[],
  options: TestRuntimeOptions = {},
): TestRuntime {
  return new TestRuntime(core, controllers, options);
}

export class TestRuntime implements AsyncDisposable {
  /** The state, for the test itself. */
  readonly state: State;
  readonly runtime: Runtime;
  /** What was logged, unless a logger was given. */
  readonly log: RecordingLogger;
  readonly #virtual: VirtualClock | undefined;
  readonly #counted: CountedClock;
  readonly #watches: CountedWatches;
  readonly #signal = new CountedSignal();
  readonly #host: HostResources | undefined;
  readonly #running: Promise<void>;
  readonly #waits: UntilOptions;
  readonly #advanceMs: number | undefined;
  #closing: Promise<void> | undefined;

  constructor(
    core: CoreState,
    controllers: readonly (Controller | QueueController)[],
    options: TestRuntimeOptions = {},
  ) {
    const { clock = new VirtualClock(), logger, timeoutMs, advanceMs, checkHost = true, ...rest } = options;
    this.#host = checkHost ? new HostResources() : undefined;
    this.#virtual = clock instanceof VirtualClock ? clock : undefined;
    this.#counted = new CountedClock(clock);
    this.#waits = { timeoutMs };
    this.#advanceMs = advanceMs;
    this.log = new RecordingLogger();
    this.state = wrapState(core);
    this.#watches = countedWatches(core);
    this.runtime = new Runtime(this.#watches.core, {
      random: steadyRandom,
      ...rest,
      clock: this.#counted,
      logger: logger ?? this.log,
    });
    for (const controller of controllers) this.runtime.register(controller);
    this.#running = this.runtime.run({ signal: this.#signal.signal });
  }

  /** The virtual clock. Throws a `TypeError` when the runtime was given a clock of another kind. */
  get clock(): VirtualClock {
    if (this.#virtual === undefined) throw new TypeError('this runtime does not live in virtual time');
    return this.#virtual;
  }

  /** See {@link untilResource}; virtual time goes on meanwhile. What the controllers complain of is in the error. */
  untilResource<S>(pointer: TypedPointer<S>, check?: Check<TypedResource<S>>): Promise<TypedResource<S>>;
  untilResource(pointer: Pointer, check?: Check<Resource>): Promise<Resource>;
  untilResource(pointer: Pointer, check?: Check<never>): Promise<Resource> {
    return this.wait(untilResource(this.state, pointer, check as Check<Resource> | undefined, this.#waits));
  }

  /** See {@link untilResources}, and {@link untilResource} above. */
  untilResources<S>(
    pointers: readonly TypedPointer<S>[],
    check?: Check<TypedResource<S>>,
  ): Promise<readonly TypedResource<S>[]>;
  untilResources(pointers: readonly Pointer[], check?: Check<Resource>): Promise<readonly Resource[]>;
  untilResources(pointers: readonly Pointer[], check?: Check<never>): Promise<readonly Resource[]> {
    return this.wait(untilResources(this.state, pointers, check as Check<Resource> | undefined, this.#waits));
  }

  /** See {@link untilAbsent}, and {@link untilResource} above. */
  untilAbsent(pointer: Pointer): Promise<void> {
    return this.wait(untilAbsent(this.state, pointer, this.#waits));
  }

  /** See {@link untilList}, and {@link untilResource} above. */
  untilList<S>(
    kind: TypedKind<S>,
    check: Check<readonly TypedResource<S>[]>,
    options?: UntilListOptions,
  ): Promise<readonly TypedResource<S>[]>;
  untilList(kind: Kind, check: Check<readonly Resource[]>, options?: UntilListOptions): Promise<readonly Resource[]>;
  untilList(kind: Kind, check: Check<never>, options?: UntilListOptions): Promise<readonly Resource[]> {
    return this.wait(untilList(this.state, kind, check as Check<readonly Resource[]>, { ...this.#waits, ...options }));
  }

  /** See {@link untilLength}, and {@link untilResource} above. */
  untilLength<S>(kind: TypedKind<S>, length: number, options?: UntilListOptions): Promise<readonly TypedResource<S>[]>;
  untilLength(kind: Kind, length: number, options?: UntilListOptions): Promise<readonly Resource[]>;
  untilLength(kind: Kind, length: number, options?: UntilListOptions): Promise<readonly Resource[]> {
    return this.wait(untilLength(this.state, kind, length, { ...this.#waits, ...options }));
  }

  /** See {@link destroyAndWait}, and {@link untilResource} above. */
  destroyAndWait(pointer: Pointer, options?: DestroyAndWaitOptions): Promise<void> {
    return this.wait(destroyAndWait(this.state, pointer, { ...this.#waits, ...options }));
  }

  /** Waits for anything else while virtual time goes on. */
  async wait<T>(promise: Promise<T>): Promise<T> {
    try {
      return await (this.#virtual === undefined
        ? promise
        : advanceUntil(this.#virtual, promise, { maxMs: this.#advanceMs }));
    } catch (error) {
      throw isExpectation(error) ? this.#withComplaints(error) : error;
    }
  }

  /**
   * Ends the runtime, and waits for it. Can be called any number of times.
   *
   * @throws `testing/leak` when something was left behind: work, watches, timers, listeners, and whatever else the process
   * holds open more than before
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const closed = Promise.all([this.runtime.close(), this.#running]);
    // What ignores its signal is waited for in virtual time.
    await (this.#virtual === undefined ? closed : advanceUntil(this.#virtual, closed));
    const leaks = [...this.#ownLeaks(), ...((await this.#host?.leaks()) ?? [])];
    if (leaks.length > 0) throw new LeakError(leaks);
  }

  #ownLeaks(): readonly string[] {
    const { controllers, watches } = this.runtime.report();
    const leaks = controllers
      .filter(({ status, inProgress }) => (status !== 'stopped' && status !== 'ended') || inProgress > 0)
      .map(({ name, status }) => `work of ${name}, which is ${status}`);
    leaks.push(...watches.map(({ namespace, type }) => `the watch of ${type} in ${namespace}`));
    const { timers } = this.#counted;
    if (this.#watches.open > 0) leaks.push(`${this.#watches.open} watches of the state`);
    if (timers > 0) leaks.push(`${timers} timers of the runtime's clock`);
    if (this.#signal.listeners > 0) leaks.push(`${this.#signal.listeners} listeners to the runtime's signal`);
    return leaks;
  }

  #withComplaints(error: ExpectationError): ExpectationError {
    const complaints = this.runtime.report().controllers.flatMap(({ name, lastError, counts, restarts }) => {
      if (lastError === undefined) return [];
      return [`${name}: ${lastError.message} (failed ${counts.failed} times, restarted ${restarts} times)`];
    });
    if (complaints.length === 0) return error;
    const message = `${error.message}\nwhat controllers failed with last:\n${indented(complaints.join('\n'))}`;
    return new ExpectationError(message, { subject: error.subject, cause: error.cause });
  }
}
