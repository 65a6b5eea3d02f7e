import { type Clock, type Random, type Timer, Timestamp, UnavailableError } from '@cosi-ts/resource';
import { type CoreState, createWatch, type Event, type VirtualClock, type Watch } from '@cosi-ts/state';

/** A span of the world's time. */
export interface Span {
  readonly fromMs: number;
  readonly forMs: number;
}

export interface HostSetup {
  /** How fast its clock goes, compared with the world's. */
  readonly rate: number;
  /** When it is held up: no timer fires, and no answer is seen. */
  readonly stalls: readonly Span[];
  /** When nothing comes through to the state or back. */
  readonly cuts: readonly Span[];
  /** How long messages are under way; gone through again and again, until it is calm. */
  readonly delaysMs: readonly number[];
  readonly calmFromMs: number;
}

/** A computer with a clock and a line to the state of its own, neither of which can be relied on. */
export class Host {
  readonly clock: Clock;
  readonly #world: VirtualClock;
  readonly #setup: HostSetup;
  #messages = 0;

  constructor(world: VirtualClock, setup: HostSetup) {
    this.#world = world;
    this.#setup = setup;
    const { rate } = setup;
    this.clock = {
      now: () => {
        const ms = 1_000_000_000_000 + world.monotonicMs() * rate;
        return new Timestamp(Math.floor(ms / 1000), Math.floor((ms % 1000) * 1_000_000));
      },
      monotonicMs: () => world.monotonicMs() * rate,
      schedule: (delayMs, callback) => this.#schedule(delayMs / rate, callback),
    };
  }

  /** The state as it is seen from here. What was asked for once may happen, whatever the caller knows of it. */
  state(core: CoreState): CoreState {
    const remote = <A extends unknown[], T>(call: (...args: A) => Promise<T>) => {
      return (...args: A): Promise<T> => {
        const signal = args.map((arg) => (arg as { signal?: AbortSignal } | undefined)?.signal).find(Boolean);
        const plain = args.map((arg) =>
          signal !== undefined && (arg as { signal?: AbortSignal } | undefined)?.signal === signal
            ? { ...(arg as object), signal: undefined }
            : arg,
        );
        return abortable(
          this.#ask(() => call(...(plain as A))),
          signal,
        );
      };
    };
    return {
      get: remote(core.get.bind(core)),
      list: remote(core.list.bind(core)),
      create: remote(core.create.bind(core)),
      update: remote(core.update.bind(core)),
      destroy: remote(core.destroy.bind(core)),
      watch: async (pointer, options) => {
        const inner = await abortable(
          this.#ask(() => core.watch(pointer)),
          options?.signal,
        );
        return this.#watch(inner, options?.signal);
      },
      watchKind: () => Promise.reject(new Error('not needed here')),
      watchKindAggregated: () => Promise.reject(new Error('not needed here')),
    };
  }

  #watch(inner: Watch<Event>, signal: AbortSignal | undefined): Watch<Event> {
    let broken = false;
    return createWatch<Event>(
      {
        pull: async () => {
          if (broken) return undefined;
          const result = await inner.next();
          if (result.done === true) return undefined;
          const arrives = await this.#underway();
          if (arrives) return result.value;
          broken = true;
          return { type: 'errored', error: new UnavailableError('the line is cut') };
        },
        close: () => inner.close(),
      },
      signal,
    );
  }

  async #ask<T>(call: () => Promise<T>): Promise<T> {
    if (!(await this.#underway())) throw new UnavailableError('the line is cut');
    let result: { readonly value: T } | { readonly error: unknown };
    try {
      result = { value: await call() };
    } catch (error) {
      result = { error };
    }
    if (!(await this.#underway())) throw new UnavailableError('the answer is lost');
    if ('error' in result) throw result.error;
    return result.value;
  }

  /** Resolves when a message that is sent now is there, and seen: with false when it gets lost. */
  #underway(): Promise<boolean> {
    const { delaysMs, cuts, stalls, calmFromMs } = this.#setup;
    const nowMs = this.#world.monotonicMs();
    const delayMs = nowMs < calmFromMs ? (delaysMs[this.#messages++ % delaysMs.length] ?? 0) : 0;
    const isCut = during(cuts, nowMs) !== undefined;
    return new Promise((resolve) => {
      if (delayMs === 0 && during(stalls, nowMs) === undefined) resolve(!isCut);
      else this.#schedule(delayMs, () => resolve(!isCut));
    });
  }

  /** Calls back after the time, or when the host goes on if it is held up then. */
  #schedule(delayMs: number, callback: () => void): Timer {
    const onDue = () => {
      const stall = during(this.#setup.stalls, this.#world.monotonicMs());
      if (stall === undefined) callback();
      else timer = this.#world.schedule(stall.fromMs + stall.forMs - this.#world.monotonicMs(), onDue);
    };
    let timer = this.#world.schedule(delayMs, onDue);
    return { cancel: () => timer.cancel() };
  }
}

/** Numbers that differ from host to host and are the same in each run. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  return {
    float: () => next() / 2 ** 32,
    bytes: (length) => Uint8Array.from({ length }, () => next() >>> 24),
  };
}

function during(spans: readonly Span[], atMs: number): Span | undefined {
  return spans.find(({ fromMs, forMs }) => atMs >= fromMs && atMs < fromMs + forMs);
}

function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
