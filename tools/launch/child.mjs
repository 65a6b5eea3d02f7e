// Child processes that never outlive the launcher: each one leads a process group of its own, and a signal sent to the
// launcher (or to its group, as Ctrl-C does) ends that whole group before the launcher exits.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** How long a child may take to end after the first signal, before it is killed. */
const graceMs = 1500;
/** @typedef {{ cwd?: string, env?: Record<string, string | undefined>, show?: boolean, keptLines?: number, timeoutMs?: number, onLine?: (line: string) => void }} RunOptions */

/** @type {Set<import('node:child_process').ChildProcess>} */
const children = new Set();
/** @type {NodeJS.Signals | undefined} */
let stoppedBy;

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
function signalGroup(child, signal) {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    // The group is gone already.
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}

/** The exit code by which a shell tells that a process was ended by a signal. @param {NodeJS.Signals} signal */
const exitCodeOf = (signal) => 128 + constants.signals[signal];

/**
 * Ends every child and then this process with 128 + the signal's number, from the first SIGINT, SIGTERM or SIGHUP on.
 * @returns {() => void} leaves the signals to somebody else
 */
export function stopOnSignals() {
  /** @param {NodeJS.Signals} signal */
  const stop = (signal) => {
    if (stoppedBy !== undefined) return;
    stoppedBy = signal;
    if (children.size === 0) process.exit(exitCodeOf(signal));
    for (const child of children) signalGroup(child, signal);
    setTimeout(() => process.exit(exitCodeOf(signal)), graceMs);
  };
  const killAll = () => {
    for (const child of children) signalGroup(child, 'SIGKILL');
  };
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
  for (const signal of signals) process.on(signal, stop);
  process.on('exit', killAll);
  return () => {
    for (const signal of signals) process.off(signal, stop);
    process.off('exit', killAll);
  };
}

/**
 * Runs a command to its end. Rejects only when it cannot be started; a command that fails resolves with its exit code.
 * With `show` the command writes straight to the terminal and `output` stays empty; without it, `output` has the last
 * `keptLines` lines (80 by default). After `timeoutMs` the command and all it started are killed.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<{ exitCode: number, output: string[] }>}
 */
export function run(command, args, { cwd, env, show = false, keptLines = 80, timeoutMs, onLine } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: show ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    children.add(child);
    const timeout = timeoutMs === undefined ? undefined : setTimeout(() => signalGroup(child, 'SIGKILL'), timeoutMs);

    /** @type {string[]} */
    const output = [];
    /** @param {string} line */
    const take = (line) => {
      output.push(line);
      if (output.length > keptLines) output.shift();
      onLine?.(line);
    };
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      let rest = '';
      stream.setEncoding('utf8');
      stream.on('data', (/** @type {string} */ text) => {
        const lines = (rest + text).split(/\r?\n/);
        rest = lines.pop() ?? '';
        for (const line of lines) take(line);
      });
      stream.on('end', () => {
        if (rest !== '') take(rest);
      });
    }

    child.on('error', (error) => {
      clearTimeout(timeout);
      children.delete(child);
      reject(error);
    });
    child.on('close', (code, signal) => {
      clearTimeout(timeout);
      children.delete(child);
      if (stoppedBy === undefined) {
        resolve({ exitCode: code ?? exitCodeOf(signal ?? 'SIGKILL'), output });
      } else if (children.size === 0) {
        // Whatever the command left in its group ends with it.
        signalGroup(child, 'SIGKILL');
        process.exit(exitCodeOf(stoppedBy));
      }
    });
  });
}
