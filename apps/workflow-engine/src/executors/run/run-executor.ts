import { ClosedError, isInvalidArgument, isNotFound, UnsupportedError } from '@cosi-ts/resource';
import { AttemptPaths } from '../attempt-paths.js';
import type { Attempt, ExecutionContext, Executor, Outcome, Progress, Recovery } from '../executor.js';
import { readRunAction } from './action.js';
import { findGroup, groupsOf } from './begun-group.js';
import { DamagedFolderError } from './damaged-folder.js';
import { type RunOptions, resolveRunOptions } from './options.js';
import { ProcessAttempt } from './process-attempt.js';
import { isExecuting, markedGroups, signalGroup } from './process-group.js';

type Failure = Extract<Outcome, { state: 'failed' }>;

/** Executes commands as processes of this machine, which outlive the engine and are found again. */
export class RunExecutor implements Executor {
  readonly name = 'run';
  readonly #paths: AttemptPaths;
  readonly #options: Required<RunOptions>;
  readonly #closing = new AbortController();
  readonly #executing = new Set<Promise<unknown>>();
  readonly #groups = new Set<number>();
  /** What engines before this one began, looked at when it was first asked for: there will not be more of it. */
  #survivors: ReturnType<typeof markedGroups> | undefined;

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
    try {
      return await this.#find(attempt, begun);
    } catch (error) {
      if (!(error instanceof DamagedFolderError)) throw error;
      const message = `what is kept of the attempt cannot be read: ${error.message}`;
      this.#options.logger.error({ err: error, attempt: attempt.id }, 'a step cannot be found again');
      return this.#ending(begun, { state: 'failed', reason: 'error', message });
    }
  }

  async #find(attempt: Attempt, begun: ProcessAttempt): Promise<Recovery> {
    const { folder } = begun;
    if (!folder.isThere) return this.#notBegun(begun);
    const end = folder.readOutcome();
    if (end?.outcome.state === 'failed' && end.outcome.reason === 'lost') return { found: 'unknown' };
    if (end !== undefined) return this.#ended(attempt, end.outcome, new Date(end.endedAt));
    // From here on, a shim that has not begun never will.
    if (folder.giveUp()) return this.#notBegun(begun);
    // In this order: the exit code of a shim that is no more is there, if it ever was.
    const group = findGroup(folder, begun.mark);
    if (group.is === 'doubtful') {
      const message = `its process may go on: there is a group ${group.group}, and it cannot be told whose it is`;
      const outcome = { state: 'failed', reason: 'rejected', message } as const;
      return this.#ended(attempt, outcome, this.#options.clock.now().toDate());
    }
    const hasEnded = folder.exitCode() !== undefined || folder.readStop() !== undefined;
    if (group.is === 'there') {
      const { leader } = group;
      return { found: 'running', adopt: (context) => this.#track(begun.adopt(leader, context)) };
    }
    // What it has written can only be shown by who knows its secrets: that is soon done.
    if (begun.hasSecrets && hasEnded) {
      return { found: 'running', adopt: (context) => this.#track(begun.finish(context)) };
    }
    if (begun.hasSecrets) {
      await begun.discard();
      return { found: 'unknown' };
    }
    const outcome = await begun.finish();
    const endedAt = new Date(folder.readOutcome()?.endedAt ?? this.#options.clock.now().toDate());
    return hasEnded ? this.#ended(attempt, outcome, endedAt) : { found: 'unknown' };
  }

  /** By its folder it was not; but somebody may have removed what was there. */
  #notBegun(begun: ProcessAttempt): Recovery {
    this.#survivors ??= markedGroups();
    const executes = this.#survivors.has(begun.mark) && groupsOf(begun.folder, begun.mark).some(isExecuting);
    if (!executes) return { found: 'unknown' };
    const message = `what was kept of its process is not in ${begun.folder.path} any more`;
    return this.#ending(begun, { state: 'failed', reason: 'lost', message });
  }

  /** Whatever goes on of an attempt has to end, since it cannot be gone on with. */
  #ending(begun: ProcessAttempt, outcome: Failure): Recovery {
    return { found: 'running', adopt: (context) => this.#track(begun.endAll(outcome, context)) };
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
