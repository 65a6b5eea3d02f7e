import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type DefinedFunction, defineFunction, type FunctionContext } from '../executors/function/defined-function.js';

interface Work {
  readonly ms: number;
  /** How many attempts fail before one succeeds; those that were cut off before they failed are none of them. */
  readonly fails?: number;
  readonly value: number;
}

/**
 * A function that works for a while and gives its value. When an attempt begins and when it ends is appended to a file,
 * whose lines are like those of the processes of the same load.
 */
export function notedWork(path: string): DefinedFunction {
  return defineFunction<Work & Record<string, never>>({
    name: 'work',
    async handler({ ms, fails = 0, value }, { signal, attempt }) {
      const note = (what: string) => appendFileSync(path, line(what, attempt));
      note('begin');
      try {
        await delay(ms, undefined, { signal });
      } catch (error) {
        note('stopped');
        throw error;
      }
      if (fails > 0 && failuresOf(attempt.idempotencyKey, path) < fails) {
        note('failed');
        throw new Error('this attempt was to fail');
      }
      note('done');
      return { value };
    },
  });
}

function line(what: string, { idempotencyKey, attempt, run, step, index }: FunctionContext['attempt']): string {
  return `${[what, 'function', idempotencyKey, attempt, run, step, index, process.pid].join('\t')}\n`;
}

/** Kept outside of the engine, which forgets it. */
function failuresOf(key: string, path: string): number {
  const begin = `failed\tfunction\t${key}\t`;
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((each) => each.startsWith(begin)).length;
}
