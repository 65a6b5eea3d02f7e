import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ClosedError, InvalidArgumentError, sleep } from '@cosi-ts/resource';
import type { AttemptPaths } from '../attempt-paths.js';
import type { Attempt, ExecutionContext, Outcome } from '../executor.js';
import { LogWriter, type WrittenBefore } from '../logs/log-writer.js';
import { Mask } from '../logs/mask.js';
import { messageOf, stoppedOutcome } from '../stopped.js';
import type { RunCommand } from './action.js';
import { AttemptFolder, type RawFiles } from './attempt-folder.js';
import { attemptVariables, inherited, markOf, type ProcessFolders } from './environment.js';
import type { RunOptions } from './options.js';
import { OutputCollector } from './output-collector.js';
import { endGroup, isGroupEmpty, untilExecuting } from './process-group.js';
import { isAlive, type ProcessIdentity } from './process-identity.js';
import { processOutcome } from './process-outcome.js';
import { shim, shimName } from './shim.js';

type Failure = Extract<Outcome, { state: 'failed' }>;

/** A group that executes: its leader is the shim. */
interface Group {
  readonly id: number;
  /** Resolves when the leader has ended. */
  readonly gone: Promise<unknown>;
  /** It was begun by this process, and not found by it. */
  readonly isOwn: boolean;
}

/** How long a process may take to begin that is to end already. */
const startMs = 500;

/** How often a process is looked at that is no child of this one. */
const lookMs = 100;

/** How often it is looked for an exit code: what the command left behind may keep its shell. More and more seldom. */
const firstExitLookMs = 20;
const longestExitLookMs = 250;

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
      if ('state' in group) return group;
      context.report({ pid: group.id, log: this.#paths.logName(this.#attempt) });
      return await this.#accompany(group, files, new Mask(Object.values(secrets)), context);
    } finally {
      files.close();
    }
  }

  /** Goes on with what an engine began that is no more. */
  async adopt(leader: ProcessIdentity, context: ExecutionContext): Promise<Outcome> {
    context.report({ pid: leader.pid, log: this.#paths.logName(this.#attempt) });
    const files = this.folder.openRaw();
    try {
      const written = await this.#log.resume();
      const group = { id: leader.pid, gone: this.#untilGone(leader), isOwn: false };
      const mask = await this.#secrets(context).then(
        (secrets) => new Mask(Object.values(secrets)),
        (error: unknown) => {
          const why = `the rest of the output is not shown, since its secrets cannot be masked: ${messageOf(error)}`;
          this.#log.say('engine', why, this.#now());
          return undefined;
        },
      );
      return await this.#accompany(group, files, mask, context, written);
    } finally {
      files.close();
    }
  }

  /** Brings an attempt to its end of which nothing executes any more, and that knows no secrets. */
  async finish(): Promise<Outcome> {
    const files = this.folder.openRaw();
    try {
      const collector = this.#collector(files, new Mask(), await this.#log.resume());
      await collector.finish();
      return await this.#end(this.folder.readStop(), false, collector.lastError);
    } finally {
      files.close();
    }
  }

  #prepare(): Failure | undefined {
    const { script, workingFolder } = this.#command;
    if (script !== undefined) this.folder.write('script', script);
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

  async #start(secrets: Readonly<Record<string, string>>, files: RawFiles): Promise<Group | Failure> {
    const { environment, inherit, shell } = this.#options;
    const { program, script, env } = this.#command;
    const [sh, ...shellArgs] = shell as [string, ...string[]];
    const command = script === undefined ? program : [...program, this.folder.file('script')];
    let child: ChildProcess;
    try {
      child = spawn(sh, [...shellArgs, '-c', shim, shimName, this.folder.path, ...command], {
        cwd: this.#workingFolder,
        env: {
          ...inherited(environment, inherit),
          ...env,
          ...secrets,
          ...attemptVariables(this.#attempt, this.#folders),
        },
        detached: true,
        stdio: ['ignore', files.stdout, files.stderr],
      });
      const gone = new Promise<void>((done) => child.once('exit', () => done()));
      await once(child, 'spawn');
      // It may outlive this process, which does not wait for it.
      child.unref();
      return { id: child.pid as number, gone, isOwn: true };
    } catch (error) {
      return startFailure(error);
    }
  }

  async #untilGone(leader: ProcessIdentity): Promise<void> {
    while (!this.#closing.aborted && isAlive(leader)) await sleep(this.#options.clock, lookMs);
  }

  /** Resolves when the command has ended, or everything of its group, or when one of the signals aborts. */
  async #untilOver(group: Group, ...signals: readonly AbortSignal[]): Promise<void> {
    const over = new AbortController();
    const looking = this.#untilExit(over.signal);
    await firstOf([group.gone, looking], signals);
    over.abort('over');
    await looking;
    // Without their leader the others go on, and still write the exit code.
    while (!this.#hasExited && !signals.some((signal) => signal.aborted) && !isGroupEmpty(group.id)) {
      await sleep(this.#options.clock, lookMs);
    }
  }

  get #hasExited(): boolean {
    return this.folder.exitCode() !== undefined;
  }

  async #untilExit(over: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    for (let pauseMs = firstExitLookMs; !over.aborted && !this.#hasExited; ) {
      await sleep(clock, pauseMs, over).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, longestExitLookMs);
    }
  }

  /** From the beginning of the process to its end, or until it is to end. */
  async #accompany(
    group: Group,
    files: RawFiles,
    mask: Mask | undefined,
    context: ExecutionContext,
    written?: WrittenBefore,
  ): Promise<Outcome> {
    const { clock, forceMs, logger } = this.#options;
    const collector = mask === undefined ? undefined : this.#collector(files, mask, written);
    try {
      await this.#untilOver(group, context.signal, this.#closing);
      if (this.#closing.aborted && !context.signal.aborted) {
        throw new ClosedError('the executor was closed; the process goes on');
      }
      let stop = this.folder.readStop();
      if (stop === undefined && context.signal.aborted && !this.#hasExited) {
        stop = stoppedOutcome(context.signal);
        this.folder.writeStop(stop);
        await untilExecuting(group.id, startMs, clock);
        this.#log.say('engine', `the process is asked to end: ${stop.message}`, this.#now());
      }
      const onForce = () => this.#log.say('engine', 'the process is ended by force', this.#now());
      const hasEnded = () => this.#hasExited;
      const isEmpty = await endGroup(group.id, { graceMs: context.graceMs, clock, forceMs, hasEnded, onForce });
      if (!isEmpty) {
        logger.error({ group: group.id, attempt: this.#attempt.id }, 'processes of a step cannot be ended');
        return {
          state: 'failed',
          reason: 'rejected',
          message: `processes of the group ${group.id} are left that even SIGKILL did not end`,
        };
      }
      await group.gone;
      await collector?.finish();
      return await this.#end(stop, group.isOwn, collector?.lastError ?? '');
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
  async #end(stop: Failure | undefined, isOwn: boolean, lastError: string): Promise<Outcome> {
    const outcome = stop ?? (await this.#ownEnd(isOwn, lastError));
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

  async #ownEnd(isOwn: boolean, lastError: string): Promise<Outcome> {
    const exitCode = this.folder.exitCode();
    if (exitCode === undefined) {
      if (!this.folder.hasBegun) {
        return { state: 'failed', reason: 'error', message: `the process could not be started: ${lastError}` };
      }
      // It counts as a failure of the command where it was seen: it would do so again and again.
      const message = 'the process that watched over it was ended, and its exit code is not known';
      return { state: 'failed', reason: isOwn ? 'exit' : 'lost', message };
    }
    return processOutcome({
      exitCode,
      lastError,
      outputFile: this.#folders.output,
      maxOutputBytes: this.#options.maxOutputBytes,
      workingFolder: this.#workingFolder,
      artifacts: this.#command.artifacts,
      artifactFolder: this.#paths.artifacts(this.#attempt),
    });
  }
}

function startFailure(error: unknown): Failure {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'E2BIG') {
    const message = 'the command or its environment is too long for the system: pass large data in files';
    return { state: 'failed', reason: 'rejected', message };
  }
  return { state: 'failed', reason: 'error', message: `the process could not be started: ${messageOf(error)}` };
}

/** Resolves with one of the promises, or when one of the signals aborts. */
function firstOf(promises: readonly Promise<unknown>[], signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((done) => {
    const finish = () => {
      for (const signal of signals) signal.removeEventListener('abort', finish);
      done();
    };
    for (const signal of signals) {
      if (signal.aborted) return finish();
      signal.addEventListener('abort', finish, { once: true });
    }
    for (const promise of promises) void promise.then(finish);
  });
}
