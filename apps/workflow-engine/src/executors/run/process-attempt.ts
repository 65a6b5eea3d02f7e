import { mkdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ClosedError, InvalidArgumentError } from '@cosi-ts/resource';
import type { AttemptPaths } from '../attempt-paths.js';
import type { Attempt, ExecutionContext, Outcome } from '../executor.js';
import { LogWriter, type WrittenBefore } from '../logs/log-writer.js';
import { Mask } from '../logs/mask.js';
import { messageOf, stoppedOutcome } from '../stopped.js';
import type { RunCommand } from './action.js';
import { AttemptFolder, type RawFiles } from './attempt-folder.js';
import { groupsOf } from './begun-group.js';
import { attemptVariables, inherited, markOf, type ProcessFolders } from './environment.js';
import { ExecutingGroup } from './executing-group.js';
import type { RunOptions } from './options.js';
import { OutputCollector } from './output-collector.js';
import { endGroup, untilExecuting } from './process-group.js';
import type { ProcessIdentity } from './process-identity.js';
import { processOutcome } from './process-outcome.js';

type Failure = Extract<Outcome, { state: 'failed' }>;

/** In the place of what may hold secrets that are not known any more. */
const notShown = 'what is wrong with its outputs is not shown, since its secrets cannot be masked';

/** How long a process may take to begin that is to end already. */
const startMs = 500;

/** One attempt at one command, from its folder: begins it, or goes on with it, and brings it to its end. */
export class ProcessAttempt {
  readonly folder: AttemptFolder;
  readonly #attempt: Attempt;
  readonly #command: RunCommand;
  readonly #paths: AttemptPaths;
  readonly #options: Required<RunOptions>;
  /** Aborts when the executor lets go of what executes. */
  readonly #closing: AbortSignal;
  readonly #log: LogWriter;

  constructor(
    attempt: Attempt,
    command: RunCommand,
    paths: AttemptPaths,
    options: Required<RunOptions>,
    closing: AbortSignal,
  ) {
    this.#attempt = attempt;
    this.#command = command;
    this.#paths = paths;
    this.#options = options;
    this.#closing = closing;
    this.folder = new AttemptFolder(paths.attempt(attempt));
    const log = paths.log(attempt);
    this.#log = new LogWriter(log, {
      maxBytes: options.maxLogBytes,
      onError: (err) => options.logger.warn({ err, log }, 'the log of a step cannot be written'),
    });
  }

  get #folders(): ProcessFolders {
    return { output: this.folder.file('output'), artifacts: this.#paths.artifactsOfRun(this.#attempt.run) };
  }

  /** Tells processes of this attempt from all others. */
  get mark(): string {
    return markOf(this.#folders);
  }

  get hasSecrets(): boolean {
    return Object.keys(this.#command.secretEnv).length > 0;
  }

  get #workingFolder(): string {
    const { workingFolder } = this.#command;
    return workingFolder === undefined ? this.folder.file('work') : resolve(workingFolder);
  }

  #now(): Date {
    return this.#options.clock.now().toDate();
  }

  async begin(context: ExecutionContext): Promise<Outcome> {
    const secrets = await this.#secrets(context);
    if (!this.folder.make()) {
      return { state: 'failed', reason: 'rejected', message: `${this.folder.path} is there: it has begun before` };
    }
    const problem = this.#prepare();
    if (problem !== undefined) return problem;
    const files = this.folder.openRaw();
    try {
      if (context.signal.aborted) return stoppedOutcome(context.signal);
      const group = await this.#start(secrets, files);
      if (!(group instanceof ExecutingGroup)) return group;
      context.report({ pid: group.id, log: this.#paths.logName(this.#attempt) });
      const mask = new Mask(Object.values(secrets));
      return await this.#toItsEnd(group.id, context, () => this.#accompany(group, files, mask, context));
    } finally {
      files.close();
    }
  }

  /** Goes on with what an engine began that is no more. */
  adopt(leader: ProcessIdentity, context: ExecutionContext): Promise<Outcome> {
    context.report({ pid: leader.pid, log: this.#paths.logName(this.#attempt) });
    return this.#toItsEnd(leader.pid, context, async () => {
      const files = this.folder.openRaw();
      try {
        const written = await this.#log.resume();
        const group = ExecutingGroup.found(leader, this.#options.clock, this.#closing);
        return await this.#accompany(group, files, await this.#maskNow(context), context, written);
      } finally {
        files.close();
      }
    });
  }

  /**
   * Brings an attempt to its end of which nothing executes any more.
   * @param context of one that knows secrets
   */
  async finish(context?: ExecutionContext): Promise<Outcome> {
    context?.report({ log: this.#paths.logName(this.#attempt) });
    try {
      const files = this.folder.openRaw();
      try {
        const written = await this.#log.resume();
        const mask = context === undefined ? new Mask() : await this.#maskNow(context);
        const collector = mask === undefined ? undefined : this.#collector(files, mask, written);
        await collector?.finish();
        return await this.#end(this.folder.readStop(), false, collector?.lastError ?? '', mask);
      } finally {
        files.close();
      }
    } catch (error) {
      // It would be the same another time, and nobody would be told.
      this.#options.logger.error({ err: error, attempt: this.#attempt.id }, 'the end of a step cannot be taken over');
      return { state: 'failed', reason: 'error', message: `its end cannot be taken over: ${messageOf(error)}` };
    } finally {
      await this.#log.close(this.#now());
    }
  }

  /** Ends by force, after the grace time, whatever there is of an attempt that cannot be gone on with. */
  async endAll(outcome: Failure, context: ExecutionContext): Promise<Outcome> {
    for (const group of groupsOf(this.folder, this.mark)) {
      const left = await this.#endGroup(group, context, () => false);
      if (left !== undefined) return left;
    }
    return outcome;
  }

  /** Gives up what a lost attempt has written: without its secrets nobody can mask them. */
  async discard(): Promise<void> {
    if (!this.folder.hasRaw) return;
    try {
      await this.#log.resume();
      const why = 'the attempt was lost; the rest of its output is not shown, since its secrets cannot be masked';
      this.#log.say('engine', why, this.#now());
      await this.#log.close(this.#now());
    } catch (err) {
      this.#options.logger.warn({ err, log: this.#log.path }, 'the log of a step cannot be written');
    }
    this.folder.removeRaw();
  }

  /** Knows what the process knew. Undefined: its secrets are gone. */
  async #maskNow(context: ExecutionContext): Promise<Mask | undefined> {
    try {
      return new Mask(Object.values(await this.#secrets(context)));
    } catch (error) {
      const why = `the rest of the output is not shown, since its secrets cannot be masked: ${messageOf(error)}`;
      this.#log.say('engine', why, this.#now());
      return undefined;
    }
  }

  #prepare(): Failure | undefined {
    const { script, workingFolder } = this.#command;
    if (script !== undefined) {
      this.folder.write('script', script);
      this.folder.write('package.json', '{}\n');
    }
    this.folder.write('output', '');
    mkdirSync(this.#folders.artifacts, { recursive: true, mode: 0o700 });
    if (workingFolder === undefined) {
      mkdirSync(this.#workingFolder, { mode: 0o700 });
    } else if (statSync(this.#workingFolder, { throwIfNoEntry: false })?.isDirectory() !== true) {
      return { state: 'failed', reason: 'error', message: `the working folder ${this.#workingFolder} is not there` };
    }
    return undefined;
  }

  async #secrets(context: ExecutionContext): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const [variable, { secret, key }] of Object.entries(this.#command.secretEnv)) {
      const text = await context.secret(secret, key);
      // The platform would show it in the message of its error.
      if (text.includes('\0')) throw new InvalidArgumentError(`the secret ${secret}/${key} holds a NUL character`);
      found[variable] = text;
    }
    return found;
  }

  #start(secrets: Readonly<Record<string, string>>, files: RawFiles): Promise<ExecutingGroup | Failure> {
    const { environment, inherit, shell, clock } = this.#options;
    const { program, script, env } = this.#command;
    const started = {
      shell,
      folder: this.folder.path,
      command: script === undefined ? program : [...program, this.folder.file('script')],
      workingFolder: this.#workingFolder,
      environment: {
        ...inherited(environment, inherit),
        ...env,
        ...secrets,
        ...attemptVariables(this.#attempt, this.#folders),
      },
      files,
    };
    return ExecutingGroup.start(started, clock);
  }

  get #hasExited(): boolean {
    return this.folder.exitCode() !== undefined;
  }

  /** What goes wrong while a process is accompanied ends it: nothing of it may go on beside another attempt. */
  async #toItsEnd(group: number, context: ExecutionContext, accompany: () => Promise<Outcome>): Promise<Outcome> {
    try {
      return await accompany();
    } catch (error) {
      if (error instanceof ClosedError) throw error;
      const left = await this.#endGroup(group, context, () => false);
      if (left !== undefined) return left;
      throw error;
    }
  }

  /** Gives a failure when even force did not help. */
  async #endGroup(group: number, { graceMs }: ExecutionContext, hasEnded: () => boolean): Promise<Failure | undefined> {
    const { clock, forceMs, logger } = this.#options;
    const onForce = () => this.#log.say('engine', 'the process is ended by force', this.#now());
    if (await endGroup(group, { graceMs, clock, forceMs, hasEnded, onForce })) return undefined;
    logger.error({ group, attempt: this.#attempt.id }, 'processes of a step cannot be ended');
    const message = `processes of the group ${group} are left that even SIGKILL did not end`;
    return { state: 'failed', reason: 'rejected', message };
  }

  /** From the beginning of the process to its end, or until it is to end. */
  async #accompany(
    group: ExecutingGroup,
    files: RawFiles,
    mask: Mask | undefined,
    context: ExecutionContext,
    written?: WrittenBefore,
  ): Promise<Outcome> {
    const { clock } = this.#options;
    const collector = mask === undefined ? undefined : this.#collector(files, mask, written);
    try {
      const hasEnded = () => this.#hasExited;
      // An engine before this one has asked it to end.
      let stop = this.folder.readStop();
      if (stop === undefined) await group.untilOver(hasEnded, [context.signal, this.#closing]);
      if (this.#closing.aborted && !context.signal.aborted) {
        throw new ClosedError('the executor was closed; the process goes on');
      }
      if (stop === undefined && context.signal.aborted && !this.#hasExited) {
        stop = stoppedOutcome(context.signal);
        this.folder.writeStop(stop);
        await untilExecuting(group.id, startMs, clock);
        this.#log.say('engine', `the process is asked to end: ${stop.message}`, this.#now());
      }
      const left = await this.#endGroup(group.id, context, hasEnded);
      if (left !== undefined) return left;
      await group.gone;
      await collector?.finish();
      return await this.#end(stop, group.isOwn, collector?.lastError ?? '', mask);
    } finally {
      await collector?.stop();
      await this.#log.close(this.#now());
    }
  }

  #collector(files: RawFiles, mask: Mask, written?: WrittenBefore): OutputCollector {
    const { maxLineBytes, clock } = this.#options;
    return new OutputCollector({
      files,
      log: this.#log,
      mask,
      maxLineBytes,
      clock,
      ...(written === undefined ? {} : { written }),
    });
  }

  /** When nothing executes any more: finds out how it ended, writes that down, and removes what is of no more use. */
  async #end(stop: Failure | undefined, isOwn: boolean, lastError: string, mask: Mask | undefined): Promise<Outcome> {
    const outcome = stop ?? (await this.#ownEnd(isOwn, lastError, mask));
    if (outcome.state === 'failed') this.#log.say('engine', outcome.message, this.#now());
    await this.#log.close(this.#now());
    const endedAt = this.#hasExited ? this.folder.exitedAt() : this.#now();
    try {
      this.folder.writeOutcome({ outcome, endedAt: endedAt.toISOString() });
      this.folder.removeRaw();
      if (outcome.state === 'succeeded') await this.folder.removeWork();
    } catch (err) {
      // It is found out again when it is asked for.
      this.#options.logger.warn({ err, folder: this.folder.path }, 'the end of a step cannot be written down');
    }
    return outcome;
  }

  async #ownEnd(isOwn: boolean, lastError: string, mask: Mask | undefined): Promise<Outcome> {
    const exitCode = this.folder.exitCode();
    if (exitCode === undefined) {
      if (!this.folder.hasBegun) {
        return { state: 'failed', reason: 'error', message: `the process could not be started: ${lastError}` };
      }
      // It counts as a failure of the command where it was seen: it would do so again and again.
      const message = 'the exit code is not known: the process that watched over it was ended, or the disk is full';
      return { state: 'failed', reason: isOwn ? 'exit' : 'lost', message };
    }
    return processOutcome({
      exitCode,
      lastError,
      mask: mask === undefined ? () => notShown : (text) => mask.apply(text),
      outputFile: this.#folders.output,
      maxOutputBytes: this.#options.maxOutputBytes,
      workingFolder: this.#workingFolder,
      artifacts: this.#command.artifacts,
      artifactFolder: this.#paths.artifacts(this.#attempt),
    });
  }
}
