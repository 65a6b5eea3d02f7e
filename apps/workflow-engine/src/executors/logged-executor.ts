import { type Clock, systemClock } from '@cosi-ts/resource';
import { consoleLogger, type Logger } from '@cosi-ts/runtime';
import { AttemptPaths } from './attempt-paths.js';
import type { Attempt, ExecutionContext, Executor, Outcome, Recovery } from './executor.js';
import { AttemptLog, type AttemptLogOptions, type StepLogger } from './logs/attempt-log.js';
import { messageOf } from './stopped.js';

/** What an executor of a plugin gets. */
export interface PluginContext extends ExecutionContext {
  /** What is shown with the step. Secrets that were read with `secret` are masked in it. */
  readonly log: StepLogger;
}

/** An executor of a plugin, with a log for each of its attempts, which has the reason of a failure, too. */
export class LoggedExecutor implements Executor {
  readonly name: string;
  readonly recover?: (attempt: Attempt) => Promise<Recovery>;
  readonly close?: () => Promise<void>;
  readonly endNow?: () => void;
  readonly #executor: Executor;
  readonly #options: AttemptLogOptions;

  /** @param dataFolder an absolute path, for logs */
  constructor(
    dataFolder: string,
    executor: Executor,
    options: { readonly clock?: Clock; readonly logger?: Logger } = {},
  ) {
    this.name = executor.name;
    this.#executor = executor;
    const { clock = systemClock, logger = consoleLogger('warn') } = options;
    this.#options = { paths: new AttemptPaths(dataFolder), clock, logger };
    // What is not there means something: see each of them.
    if (executor.recover !== undefined) this.recover = (attempt) => this.#recover(attempt);
    if (executor.close !== undefined) this.close = async () => executor.close?.();
    if (executor.endNow !== undefined) this.endNow = () => executor.endNow?.();
  }

  execute(attempt: Attempt, context: ExecutionContext): Promise<Outcome> {
    return this.#logged(attempt, context, async (its) => this.#executor.execute(attempt, its));
  }

  async forget(run: string): Promise<void> {
    await this.#executor.forget?.(run);
    await this.#options.paths.forget(run);
  }

  async #recover(attempt: Attempt): Promise<Recovery> {
    const recovery = (await this.#executor.recover?.(attempt)) ?? { found: 'unknown' };
    if (recovery.found !== 'running') return recovery;
    const adopt = (context: ExecutionContext) => this.#logged(attempt, context, async (its) => recovery.adopt(its));
    return { found: 'running', adopt };
  }

  async #logged(
    attempt: Attempt,
    context: ExecutionContext,
    execute: (context: PluginContext) => Promise<Outcome>,
  ): Promise<Outcome> {
    const log = new AttemptLog(attempt, context, this.#options);
    const { signal, graceMs } = context;
    const its: PluginContext = {
      signal,
      graceMs,
      report: (progress) => context.report(progress),
      secret: (name, key) => log.secret(name, key),
      log: log.streams,
    };
    try {
      const outcome = await execute(its);
      if (outcome.state === 'failed') log.write('engine', String(outcome.message));
      return outcome;
    } catch (error) {
      log.write('engine', messageOf(error));
      throw error;
    } finally {
      await log.close();
    }
  }
}
