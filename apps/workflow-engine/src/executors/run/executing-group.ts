import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Clock, sleep } from '@cosi-ts/resource';
import type { Outcome } from '../executor.js';
import { messageOf } from '../stopped.js';
import type { RawFiles } from './attempt-folder.js';
import { isGroupEmpty } from './process-group.js';
import { isAlive, type ProcessIdentity } from './process-identity.js';
import { shim, shimName } from './shim.js';

type Failure = Extract<Outcome, { state: 'failed' }>;

export interface StartedProcess {
  /** What runs the shim. */
  readonly shell: readonly string[];
  /** That of the attempt. */
  readonly folder: string;
  /** A program and its arguments. */
  readonly command: readonly string[];
  readonly workingFolder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly files: RawFiles;
}

/** How often a process is looked at that is no child of this one. */
const lookMs = 100;

/** How often it is looked for an exit code: what the command left behind may keep its shell. More and more seldom. */
const firstExitLookMs = 20;
const longestExitLookMs = 250;

/** A group of processes that execute: its leader is the shim. */
export class ExecutingGroup {
  readonly id: number;
  /** It was begun by this process, and not found by it. */
  readonly isOwn: boolean;
  /** Resolves when the leader has ended. */
  readonly gone: Promise<unknown>;
  readonly #clock: Clock;

  private constructor(id: number, isOwn: boolean, gone: Promise<unknown>, clock: Clock) {
    this.id = id;
    this.isOwn = isOwn;
    this.gone = gone;
    this.#clock = clock;
  }

  static async start(process: StartedProcess, clock: Clock): Promise<ExecutingGroup | Failure> {
    const { shell, folder, command, workingFolder, environment, files } = process;
    const [program, ...args] = shell as [string, ...string[]];
    try {
      const child = spawn(program, [...args, '-c', shim, shimName, folder, ...command], {
        cwd: workingFolder,
        env: environment,
        detached: true,
        stdio: ['ignore', files.stdout, files.stderr],
      });
      const gone = new Promise<void>((done) => child.once('exit', () => done()));
      await once(child, 'spawn');
      // It may outlive this process, which does not wait for it.
      child.unref();
      return new ExecutingGroup(child.pid as number, true, gone, clock);
    } catch (error) {
      return startFailure(error);
    }
  }

  /** One that an engine has begun that is no more. @param closing aborts when it is looked at no more */
  static found(leader: ProcessIdentity, clock: Clock, closing: AbortSignal): ExecutingGroup {
    const untilGone = async () => {
      while (!closing.aborted && isAlive(leader)) await sleep(clock, lookMs);
    };
    return new ExecutingGroup(leader.pid, false, untilGone(), clock);
  }

  /** Resolves when the command has ended, or everything of the group, or when one of the signals aborts. */
  async untilOver(hasExited: () => boolean, signals: readonly AbortSignal[]): Promise<void> {
    const over = new AbortController();
    const exited = this.#untilExited(hasExited, over.signal);
    await firstOf([this.gone, exited], signals);
    over.abort('over');
    await exited;
    // Without their leader the others go on, and still write the exit code.
    while (!hasExited() && !signals.some((signal) => signal.aborted) && !isGroupEmpty(this.id)) {
      await sleep(this.#clock, lookMs);
    }
  }

  async #untilExited(hasExited: () => boolean, over: AbortSignal): Promise<void> {
    for (let pauseMs = firstExitLookMs; !over.aborted && !hasExited(); ) {
      await sleep(this.#clock, pauseMs, over).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, longestExitLookMs);
    }
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

/** Settles with one of the promises, or when one of the signals aborts. */
function firstOf(promises: readonly Promise<unknown>[], signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((done, fail) => {
    const forget = () => {
      for (const signal of signals) signal.removeEventListener('abort', finish);
    };
    const finish = () => {
      forget();
      done();
    };
    const finishBadly = (error: unknown) => {
      forget();
      fail(error);
    };
    for (const signal of signals) {
      if (signal.aborted) return finish();
      signal.addEventListener('abort', finish, { once: true });
    }
    for (const promise of promises) void promise.then(finish, finishBadly);
  });
}
