import { ClosedError, followAbort, type Pointer } from '@cosi-ts/resource';
import { ControllerLog } from '../controller-log.js';
import { settlesWithin } from '../grace.js';
import { withEither } from '../linked-signal.js';
import type { ReportedError } from '../report.js';
import { RunLoop } from '../run-loop.js';
import { type BridgeOptions, type ResolvedBridgeOptions, resolveBridgeOptions } from './bridge-options.js';
import type { BridgeSource, SourceContext } from './bridge-source.js';
import type { BridgeTarget } from './bridge-target.js';
import { Coalescer } from './coalescer.js';

/** How a bridge is doing: plain data, taken at one moment. */
export interface BridgeReport {
  readonly name: string;
  /**
   * Waiting: it does not run yet. Starting: the source is being listened to, and does not say yet that nothing is missed.
   * Degraded: the source broke, and is listened to again after a backoff. Ended: nothing more comes from the source.
   */
  readonly status: 'waiting' | 'starting' | 'live' | 'degraded' | 'ended' | 'stopped';
  /** Since when it has had this status; RFC 3339. */
  readonly since: string;
  /** How often the source was listened to again after it broke. */
  readonly restarts: number;
  /** The latest failure of the source, or of the way from an event to what it concerns. */
  readonly lastError: ReportedError | undefined;
  /** When the last event came; RFC 3339. */
  readonly lastActivity: string | undefined;
  /** Events that came. */
  readonly received: number;
  /** Events that could not be given on. */
  readonly failed: number;
  /** How often someone was woken. */
  readonly woken: number;
}

/**
 * Leads events from outside of the state to a controller, or to items of a queue controller. A source that breaks is
 * listened to again after a backoff, without end; an event that goes wrong stops neither the source nor the bridge.
 *
 * @example
 * const handle = runtime.register(new LampController(house));
 * const bridge = new Bridge('lamp events', fromEmitter<string>(bus, 'moved'), toItems(handle, (id) => Lamp.at(id)));
 * await Promise.all([runtime.run({ signal }), bridge.run({ signal })]);
 */
export class Bridge<T> implements AsyncDisposable {
  readonly name: string;
  readonly #source: BridgeSource<T>;
  readonly #target: BridgeTarget<T>;
  readonly #options: ResolvedBridgeOptions;
  readonly #log: ControllerLog;
  readonly #loop: RunLoop;
  readonly #coalescer: Coalescer;
  readonly #stop = new AbortController();
  /** What is under way to the target. */
  readonly #underway = new Set<Promise<void>>();
  readonly #counts = { received: 0, failed: 0, woken: 0 };
  #running: Promise<void> | undefined;
  #listened = false;
  #status: BridgeReport['status'] = 'waiting';
  #since: string;
  #lastActivity: string | undefined;

  /** Throws a `RangeError` for a number in the options that cannot be. */
  constructor(name: string, source: BridgeSource<T>, target: BridgeTarget<T>, options: BridgeOptions = {}) {
    this.name = name;
    this.#source = source;
    this.#target = target;
    this.#options = resolveBridgeOptions(options);
    const { runtime, coalesceMs } = this.#options;
    this.#log = new ControllerLog(runtime.logger.child({ bridge: name }), runtime.clock);
    this.#loop = new RunLoop(runtime, this.#log, {
      message: 'the source of a bridge broke',
      onFailure: () => this.#set('degraded'),
    });
    this.#coalescer = new Coalescer(
      runtime.clock,
      coalesceMs,
      (pointer) => this.#wake(pointer),
      (error) => this.#failed(error),
    );
    this.#since = runtime.clock.now().toString();
  }

  /**
   * Listens until the signal aborts, or until the source has nothing more to give. Resolves when nothing is left behind,
   * or what ignored its signal for the grace time has been logged.
   *
   * @throws `closed` when it is called a second time, or after `close`
   */
  async run(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
    if (this.#running !== undefined || this.#stop.signal.aborted) throw new ClosedError('a bridge runs once');
    this.#running = withEither(this.#stop.signal, options.signal, (signal) => this.#run(signal));
    await this.#running;
  }

  report(): BridgeReport {
    return {
      name: this.name,
      status: this.#status,
      since: this.#since,
      restarts: this.#loop.restarts,
      lastError: this.#log.lastError,
      lastActivity: this.#lastActivity,
      ...this.#counts,
    };
  }

  /** Ends a run as its signal would, and waits. Can be called any number of times. */
  async close(): Promise<void> {
    this.#stop.abort(new ClosedError('the bridge was closed'));
    await this.#running;
    this.#set('stopped');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, shutdownGraceMs: graceMs } = this.#options.runtime;
    const listening = this.#loop.run(() => this.#listen(signal), signal);
    await Promise.race([listening, aborted(signal)]);
    if (!signal.aborted) {
      this.#set('ended');
      this.#log.logger.warn({}, 'the source of a bridge has nothing more to give: the bridge has ended');
      await Promise.race([Promise.all(this.#underway), aborted(signal)]);
      this.#coalescer.flush();
      return;
    }
    this.#coalescer.close();
    const ended = Promise.all([listening, ...this.#underway]);
    if (!(await settlesWithin(clock, graceMs, ended))) {
      this.#log.logger.error({ graceMs }, 'the source of a bridge does not end: left behind');
    }
    this.#set('stopped');
  }

  async #listen(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options.runtime;
    let over = false;
    this.#set('starting');
    const pass = (item: T, onFailure: (error: unknown) => void): Promise<void> => {
      if (over || signal.aborted) return Promise.resolve();
      this.#counts.received++;
      this.#lastActivity = clock.now().toString();
      return this.#follow(() => this.#target.concerned(item, signal), signal, onFailure);
    };
    const context: SourceContext<T> = {
      signal,
      clock,
      random,
      live: () => {
        if (over || signal.aborted || this.#status === 'live') return;
        const again = this.#listened;
        this.#listened = true;
        this.#set('live');
        void this.#follow(
          () => this.#target.missed(again, signal),
          signal,
          (error) => this.#failed(error),
        );
      },
      emit: (item) => void pass(item, (error) => this.#failed(error)),
      deliver: async (item) => {
        let failure: { readonly error: unknown } | undefined;
        await pass(item, (error) => {
          this.#counts.failed++;
          failure = { error };
        });
        if (failure !== undefined) throw failure.error;
      },
    };
    try {
      await this.#source.listen(Object.freeze(context));
    } finally {
      over = true;
    }
  }

  #follow(
    concerned: () => Promise<Iterable<Pointer | undefined>>,
    signal: AbortSignal,
    onFailure: (error: unknown) => void,
  ): Promise<void> {
    const follow = async () => {
      try {
        for (const pointer of await concerned()) if (!signal.aborted) this.#coalescer.put(pointer);
      } catch (error) {
        if (signal.aborted && error === signal.reason) return;
        onFailure(error);
      }
    };
    const following: Promise<void> = follow().finally(() => this.#underway.delete(following));
    this.#underway.add(following);
    return following;
  }

  #wake(pointer: Pointer | undefined): void {
    this.#target.wake(pointer);
    this.#counts.woken++;
  }

  #failed(error: unknown): void {
    this.#counts.failed++;
    this.#log.failure(error, 'an event of a bridge cannot be given on');
  }

  #set(status: BridgeReport['status']): void {
    if (this.#status === status) return;
    this.#status = status;
    this.#since = this.#options.runtime.clock.now().toString();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => void followAbort(signal, () => resolve()));
}
