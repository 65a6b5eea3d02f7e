/**
 * An engine that executes one attempt, and is killed at a chosen moment. Arguments: the folder of data, the attempt as
 * JSON, and the moment: a call of the system that the executor makes, as `before` or `after` it.
 */
import childProcess from 'node:child_process';
import files from 'node:fs';
import asyncFiles from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import type { Attempt } from '../executor.js';
import { RunExecutor } from '../run/run-executor.js';

const [, , data = '', attemptJson = '', when = '', call = '', file = ''] = process.argv;
const attempt = JSON.parse(attemptJson) as Attempt;

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('killed');
}

type Call = (...args: unknown[]) => unknown;

/** Takes the place of a function of Node, for everything that is called from now on. */
function killAt(module: object, name: string): void {
  const functions = module as Record<string, Call>;
  const original = functions[name] as Call;
  functions[name] = (...args) => {
    const isMoment =
      name === call && (file === '' || args.some((arg) => typeof arg === 'string' && arg.endsWith(file)));
    if (!isMoment) return original(...args);
    if (when === 'before') die();
    const result = original(...args);
    return result instanceof Promise ? result.then(die) : die();
  };
}

killAt(childProcess, 'spawn');
for (const name of ['mkdirSync', 'openSync', 'writeFileSync', 'renameSync', 'rmSync']) killAt(files, name);
for (const name of ['mkdir', 'rename', 'rmdir']) killAt(asyncFiles, name);
syncBuiltinESMExports();

const { signal } = new AbortController();
const executor = new RunExecutor(data);
await executor.execute(attempt, {
  signal,
  graceMs: 1000,
  report: () => undefined,
  secret: () => Promise.reject(new Error('there are no secrets')),
});
