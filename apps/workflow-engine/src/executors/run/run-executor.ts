import { ClosedError, isInvalidArgument, isNotFound, UnsupportedError } from '@cosi-ts/resource';
import { AttemptPaths } from '../attempt-paths.js';
import type { Attempt, ExecutionContext, Executor, Outcome, Progress, Recovery } from '../executor.js';
import { readRunAction } from './action.js';
import { type RunOptions, resolveRunOptions } from './options.js';
import { ProcessAttempt } from './process-attempt.js';
import { isGroupOf, signalGroup } from './process-group.js';
import { isAlive } from './process-identity.js';

/** Executes commands as processes of this machine, which outlive the engine and are found again. */
export class RunExecutor implements Executor {
  readonly name = 'run';
  readonly #paths: AttemptPaths;
  readonly #options: Required<RunOptions>;
  readonly #closing = new AbortController();
  readonly #executing = new Set<Promise<unknown>>();
  readonly #groups = new Set<number>();

  /**
   * Throws `unsupported` on systems without process groups.
   * @param dataFolder an absolute path: one engine at a time has it
   */
  constructor(dataFolder: string, options: RunOptions = {}) {
    if (process.platform === 'win32') throw new UnsupportedError('there are no process groups on Windows');
    this.#paths = new AttemptPaths(dataFolder);
    this.#options = resolveRunOptions(options);
  }

  execute(attempt: Attempt, context: ExecutionContext): Promise<Outcome> {
    return this.#track(this.#execute(attempt, context));
  }

  async #execute(attempt: Attempt, context: ExecutionContext): Promise<Outcome> {
    this.#checkOpen();
    let group: number | undefined;
    const report = (progress: Progress) => {
      group = progress.pid ?? group;
      if (group !== undefined) this.#groups.add(group);
      context.report(progress);
    };
    try {
      return await this.#open(attempt).begin({ ...context, report });
    } catch (error) {
      // The action is wrong, or there is no such secret.
      if (!isInvalidArgument(error) && !isNotFound(error)) throw error;
      return { state: 'failed', reason: 'rejected', message: (error as Error).message };
    } finally {
      if (group !== undefined) this.#groups.delete(group);
    }
  }

  async recover(attempt: Attempt): Promise<Recovery> {
    this.#checkOpen();
    let begun: ProcessAttempt;
    try {
      begun = this.#open(attempt);
    } catch (error) {
      // An action that cannot be read was not begun.
      if (isInvalidArgument(error)) return { found: 'unknown' };
      throw error;
    }
    const { folder } = begun;
    if (!folder.isThere) return { found: 'unknown' };
    const end = folder.readOutcome();
    if (end?.outcome.state === 'failed' && end.outcome.reason === 'lost') return { found: 'unknown' };
    if (end !== undefined) return this.#ended(attempt, end.outcome, new Date(end.endedAt));
    // From here on, a shim that has not begun never will.
    if (folder.giveUp()) return { found: 'unknown' };
    const leader = folder.leader();
    // The shim writes it before it begins: it was lost together with the process, in a loss of power.
    if (leader === undefined) return { found: 'unknown' };
    const adopt = (context: ExecutionContext) => this.#track(begun.adopt(leader, context));
    // In this order: the exit code of a shim that is no more is there, if it ever was.
    if (isAlive(leader) || isGroupOf(leader, begun.mark)) return { found: 'running', adopt };
    const hasEnded = folder.exitCode() !== undefined || folder.readStop() !== undefined;
    // What it has written can only be shown by who knows its secrets: that is soon done.
    if (begun.hasSecrets && hasEnded) return { found: 'running', adopt };
    if (begun.hasSecrets) {
      await begun.discard();
      return { found: 'unknown' };
    }
    const outcome = await begun.finish();
    const endedAt = new Date(folder.readOutcome()?.endedAt ?? this.#options.clock.now().toDate());
    return hasEnded ? this.#ended(attempt, outcome, endedAt) : { found: 'unknown' };
  }

  async forget(run: string): Promise<void> {
    await this.#paths.forget(run);
  }

  /** Lets go of what executes: it goes on, and is found by `recover`. What is being ended is waited for. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#executing);
  }

  /** Of what this process began, not of what it has found. */
  endNow(): void {
    for (const group of this.#groups) signalGroup(group, 'SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #open(attempt: Attempt): ProcessAttempt {
    const command = readRunAction(attempt.action);
    return new ProcessAttempt(attempt, command, this.#paths, this.#options, this.#closing.signal);
  }

  #ended(attempt: Attempt, outcome: Outcome, endedAt: Date): Recovery {
    return { found: 'ended', outcome, progress: { log: this.#paths.logName(attempt) }, endedAt };
  }

  #checkOpen(): void {
    if (this.#closing.signal.aborted) throw new ClosedError('the executor of processes is closed');
  }

  #track<T>(execution: Promise<T>): Promise<T> {
    this.#executing.add(execution);
    const done = () => void this.#executing.delete(execution);
    execution.then(done, done);
    return execution;
  }
}
