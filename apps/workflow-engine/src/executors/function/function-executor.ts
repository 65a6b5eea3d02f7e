import { type Clock, frozenJson, isInvalidArgument, systemClock } from '@cosi-ts/resource';
import { consoleLogger, type Logger } from '@cosi-ts/runtime';
import { howToGive } from '../../how-to-give.js';
import type { JsonObject } from '../../json.js';
import { AttemptPaths } from '../attempt-paths.js';
import type { Attempt, ExecutionContext, Executor, Outcome } from '../executor.js';
import { AttemptLog, type AttemptLogOptions } from '../logs/attempt-log.js';
import { messageOf, stoppedOutcome } from '../stopped.js';
import { readFunctionAction } from './action.js';
import {
  type DefinedFunction,
  type FunctionContext,
  type FunctionResult,
  isRejected,
  RejectedError,
} from './defined-function.js';

export interface FunctionOptions {
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** How functions are plugged in, as messages tell it. Default: for an engine that goes on. */
  readonly howToGive?: string;
}

/** Executes functions of this process, which were registered in code. */
export class FunctionExecutor implements Executor {
  readonly name = 'function';
  readonly #paths: AttemptPaths;
  readonly #functions: ReadonlyMap<string, DefinedFunction>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #howToGive: string;

  /**
   * Throws a TypeError when two functions have the same name.
   * @param dataFolder an absolute path, for logs
   */
  constructor(dataFolder: string, functions: Iterable<DefinedFunction>, options: FunctionOptions = {}) {
    this.#paths = new AttemptPaths(dataFolder);
    const byName = new Map<string, DefinedFunction>();
    for (const defined of functions) {
      if (byName.has(defined.name)) throw new TypeError(`there are two functions with the name ${defined.name}`);
      byName.set(defined.name, defined);
    }
    this.#functions = byName;
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? consoleLogger('warn');
    this.#howToGive = options.howToGive ?? howToGive.functions;
  }

  async execute(attempt: Attempt, context: ExecutionContext): Promise<Outcome> {
    const call = new Call(attempt, context, { paths: this.#paths, clock: this.#clock, logger: this.#logger });
    try {
      const { name, input } = readFunctionAction(attempt.action);
      const defined = this.#functions.get(name);
      if (defined === undefined) throw new RejectedError(`there is no function ${name}${this.#others()}`);
      if (context.signal.aborted) return stoppedOutcome(context.signal);
      const result = await call.whileWanted(defined.name, defined.call(input, call));
      if (result === stopped) return stoppedOutcome(context.signal);
      return { state: 'succeeded', outputs: outputsOf(name, result) };
    } catch (error) {
      if (context.signal.aborted) return stoppedOutcome(context.signal);
      const isFinal = isRejected(error) || isInvalidArgument(error);
      const message = call.masked(messageOf(error));
      call.log.error(error instanceof Error && !isFinal ? (error.stack ?? message) : message);
      return { state: 'failed', reason: isFinal ? 'rejected' : 'error', message };
    } finally {
      await call.close();
    }
  }

  async forget(run: string): Promise<void> {
    await this.#paths.forget(run);
  }

  #others(): string {
    const names = [...this.#functions.keys()];
    return names.length === 0 ? `: none is plugged in (${this.#howToGive})` : `: there are ${names.join(', ')}`;
  }
}

/** In the place of a result of a handler that did not heed its signal. */
const stopped = Symbol('stopped');

/** What a handler has of its call. The log is made when something is written to it. */
class Call implements FunctionContext {
  readonly attempt: Attempt;
  readonly signal: AbortSignal;
  readonly log;
  readonly #log: AttemptLog;
  readonly #graceMs: number;
  readonly #options: AttemptLogOptions;

  constructor(attempt: Attempt, context: ExecutionContext, options: AttemptLogOptions) {
    this.attempt = attempt;
    this.signal = context.signal;
    this.#graceMs = context.graceMs;
    this.#options = options;
    this.#log = new AttemptLog(attempt, context, options);
    this.log = this.#log.streams;
  }

  get idempotencyKey(): string {
    return this.attempt.idempotencyKey;
  }

  get artifacts(): string {
    return this.#options.paths.artifactsOfRun(this.attempt.run);
  }

  // Handlers take it out of their context.
  readonly secret = (name: string, key: string): Promise<string> => this.#log.secret(name, key);

  masked(text: string): string {
    return this.#log.masked(text);
  }

  /** The result, or {@link stopped} when the attempt is to end and there is none after the grace time. */
  async whileWanted(
    name: string,
    result: Promise<FunctionResult> | FunctionResult,
  ): Promise<FunctionResult | typeof stopped> {
    if (!(result instanceof Promise)) return result;
    const { signal } = this;
    const graceMs = this.#graceMs;
    const { clock, logger } = this.#options;
    let onAbort: (() => void) | undefined;
    const givenUp = new Promise<typeof stopped>((resolve) => {
      onAbort = () => {
        const timer = clock.schedule(graceMs, () => {
          this.#log.write('engine', `the function ${name} goes on after ${graceMs} ms: nothing of it will count`);
          logger.warn({ function: name, attempt: this.attempt.id }, 'a function does not heed its signal');
          resolve(stopped);
        });
        const cancel = () => timer.cancel();
        result.then(cancel, cancel);
      };
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      const first = await Promise.race([result, givenUp]);
      // It was asked to end, and did: by its signal's error or with a result, which comes too late.
      return signal.aborted ? stopped : first;
    } finally {
      if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
    }
  }

  async close(): Promise<void> {
    await this.#log.close();
  }
}

const nothing: JsonObject = Object.freeze({});

function outputsOf(name: string, result: FunctionResult): JsonObject {
  if (result === undefined) return nothing;
  if (typeof result !== 'object' || result === null || Array.isArray(result)) {
    throw new RejectedError(`the function ${name} must give an object, its outputs by name, or nothing`);
  }
  return frozenJson(result) as JsonObject;
}
