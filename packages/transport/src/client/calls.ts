import { Code, ConnectError } from '@connectrpc/connect';
import { ClosedError, isUnavailable, type Subject } from '@cosi-ts/resource';
import type { Clock, Closable } from '@cosi-ts/state';
import { Bag } from '../bag.js';
import { cancelSignal, linkSignals } from '../linked-signal.js';
import { isWrite, type Rpc } from '../rpc.js';
import { Stop } from '../stop.js';
import { Deadline } from './deadline.js';
import { lostAnswer } from './lost-answer.js';
import type { Readiness } from './readiness.js';
import { errorOf } from './status.js';
import type { Tokens } from './tokens.js';
import { isUnsent } from './unsent.js';

/** How a call is made. */
export interface CallInit {
  /** Absent where nothing can abort the call. */
  readonly signal?: AbortSignal | undefined;
  /** Beside those that all calls have. */
  readonly headers?: Record<string, string> | undefined;
}

export interface CallLimits {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface CallsOptions {
  readonly tokens: Tokens | undefined;
  /** How long a call may take that has no time of its own. Undefined: any time. */
  readonly timeoutMs: number | undefined;
  readonly clock: Clock;
  readonly readiness: Readiness;
}

/** What the call of a watch goes by. */
export interface EstablishLimits {
  readonly signal?: AbortSignal | undefined;
  /** The time of the whole watch. */
  readonly lifetime: Deadline | undefined;
  /** Whether the caller of the watch waits for it. Later calls are made again by the watch itself. */
  readonly isFirst: boolean;
}

/** Calls that wait for something: they would hold up a close, and their time is not what calls take in general. */
const waiting: ReadonlySet<Rpc> = new Set<Rpc>(['watch', 'teardownAndDestroy']);

/** How long a client that is being closed waits for a token: the function that is to give it may never do so. */
const lastTokenMs = 5000;

interface RunInit {
  readonly signal: AbortSignal | undefined;
  readonly deadline: Deadline | undefined;
  readonly headers: () => Record<string, string> | undefined;
  /** Whether it may wait for the server. */
  readonly waits: boolean;
}

/** The calls of one client that are in progress. */
export class Calls implements Closable {
  readonly #options: CallsOptions;
  readonly #closing = new Stop();
  readonly #active = new Bag<Promise<unknown>>();

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  get closed(): boolean {
    return this.#closing.stopped;
  }

  /**
   * Runs a call with a signal of its own. Rejects with the caller's reason when the caller's signal aborts, with
   * `transport/deadline-exceeded` when its time is up, with `closed` after {@link close}, and with what the peer's status
   * means. A call that is refused for its token is made once more with a fresh one. A write that the server may have begun
   * with when it became unavailable rejects with an error that says so.
   */
  async run<T>(
    rpc: Rpc,
    subject: Subject,
    { signal, timeoutMs = waiting.has(rpc) ? undefined : this.#options.timeoutMs }: CallLimits,
    call: (init: CallInit) => Promise<T>,
  ): Promise<T> {
    this.#closing.throwIfStopped();
    signal?.throwIfAborted();
    if (timeoutMs === undefined) {
      return this.#run(rpc, subject, { signal, deadline: undefined, headers: noHeaders, waits: true }, call);
    }
    const deadline = new Deadline(timeoutMs, this.#options.clock, subject);
    try {
      const init = { signal, deadline, headers: () => timeoutHeader(deadline), waits: true };
      return await this.#run(rpc, subject, init, call);
    } finally {
      deadline.stop();
    }
  }

  /**
   * The same for the call of a watch, which lasts longer than it takes to establish it: the client's time is for that
   * alone, the time of the watch for all of it.
   */
  async establish<T>(
    subject: Subject,
    { signal, lifetime, isFirst }: EstablishLimits,
    call: (init: CallInit) => Promise<T>,
  ): Promise<T> {
    this.#closing.throwIfStopped();
    signal?.throwIfAborted();
    const { timeoutMs, clock } = this.#options;
    const own = lifetime === undefined && timeoutMs !== undefined ? new Deadline(timeoutMs, clock, subject) : undefined;
    try {
      const init = { signal, deadline: lifetime ?? own, headers: () => timeoutHeader(lifetime), waits: isFirst };
      return await this.#run('watch', subject, init, call);
    } finally {
      own?.stop();
    }
  }

  async #run<T>(
    rpc: Rpc,
    subject: Subject,
    { signal, deadline, headers, waits }: RunInit,
    call: (init: CallInit) => Promise<T>,
  ): Promise<T> {
    const closing = waiting.has(rpc) ? this.#closing : undefined;
    // Most calls cannot be aborted: a signal for each of them would take longer than all else that is done here.
    const isAbortable = signal !== undefined || deadline !== undefined || closing !== undefined;
    const linked = isAbortable ? cancelSignal(signal, deadline?.signal, closing) : undefined;
    const attempt = () => this.#authorized(linked?.signal, headers, call);
    const active =
      waits && this.#options.readiness.waits ? this.#reached(rpc, subject, signal, deadline, attempt) : attempt();
    const held = this.#active.add(active);
    try {
      return await active;
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      deadline?.throwIfOver();
      closing?.throwIfStopped();
      const failure = errorOf(error, rpc, subject);
      throw isWrite(rpc) && isUnavailable(failure) && !isUnsent(error) ? lostAnswer(failure, rpc) : failure;
    } finally {
      linked?.unlink();
      this.#active.remove(held);
    }
  }

  /** Waits for the server. What waits so ends at once when the client is closed. */
  async #reached<T>(
    rpc: Rpc,
    subject: Subject,
    signal: AbortSignal | undefined,
    deadline: Deadline | undefined,
    attempt: () => Promise<T>,
  ): Promise<T> {
    const isAbsence = (failure: unknown) =>
      (!isWrite(rpc) || isUnsent(failure)) && errorOf(failure, rpc, subject).code === 'unavailable';
    const ends = linkSignals(signal, deadline?.signal, this.#closing);
    try {
      return await this.#options.readiness.reach(attempt, isAbsence, ends.signal);
    } finally {
      ends.unlink();
    }
  }

  #authorized<T>(
    signal: AbortSignal | undefined,
    headers: () => Record<string, string> | undefined,
    call: (init: CallInit) => Promise<T>,
  ): Promise<T> {
    const { tokens } = this.#options;
    return tokens === undefined ? call({ signal, headers: headers() }) : this.#withToken(tokens, signal, headers, call);
  }

  async #withToken<T>(
    tokens: Tokens,
    signal: AbortSignal | undefined,
    headers: () => Record<string, string> | undefined,
    call: (init: CallInit) => Promise<T>,
  ): Promise<T> {
    const withToken = (token: string) => call({ signal, headers: { ...headers(), authorization: `Bearer ${token}` } });
    const token = await tokens.current(signal);
    try {
      return await withToken(token);
    } catch (error) {
      if (!(error instanceof ConnectError) || error.code !== Code.Unauthenticated) throw error;
      const fresh = await tokens.fresh(token, signal);
      if (fresh === undefined) throw error;
      return withToken(fresh);
    }
  }

  /** Ends the calls that wait, and waits for the others; for those that have no token yet only for a while. */
  async close(): Promise<void> {
    const { clock, tokens } = this.#options;
    this.#closing.stop(new ClosedError('the remote state is closed'));
    const timer = tokens && clock.schedule(lastTokenMs, () => tokens.close());
    await Promise.allSettled(this.#active.items());
    timer?.cancel();
    tokens?.close();
  }
}

const noHeaders = () => undefined;

function timeoutHeader(deadline: Deadline | undefined): Record<string, string> | undefined {
  return deadline && { 'grpc-timeout': deadline.header() };
}
