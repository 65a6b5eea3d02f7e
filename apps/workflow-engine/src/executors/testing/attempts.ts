import { readFile } from 'node:fs/promises';
import type { JsonValue } from '@cosi-ts/resource';
import { NotFoundError } from '@cosi-ts/resource';
import { vi } from 'vitest';
import type { Attempt, ExecutionContext, Progress } from '../executor.js';
import { undefinedIfMissing } from '../missing-file.js';

/** The first attempt at the step `build` of the run `r1`. */
export function attemptAt(action: JsonValue, changes: Partial<Attempt> = {}): Attempt {
  return {
    id: 'r1.build',
    run: 'r1',
    step: 'build',
    index: -1,
    attempt: 1,
    idempotencyKey: 'key-of-r1.build',
    action,
    ...changes,
  };
}

export interface TestContext extends ExecutionContext {
  readonly stop: AbortController;
  /** All that was reported, put together. */
  readonly progress: Progress;
  /** Resolves with the process id. */
  readonly begun: Promise<number>;
}

/** @param secrets by `secret/key` */
export function testContext(graceMs = 10_000, secrets: Readonly<Record<string, string>> = {}): TestContext {
  const stop = new AbortController();
  let progress: Progress = {};
  let tell: (pid: number) => void = () => undefined;
  const begun = new Promise<number>((resolve) => {
    tell = resolve;
  });
  return {
    stop,
    begun,
    signal: stop.signal,
    graceMs,
    get progress() {
      return progress;
    },
    report(news) {
      progress = { ...progress, ...news };
      if (news.pid !== undefined) tell(news.pid);
    },
    async secret(name, key) {
      const value = secrets[`${name}/${key}`];
      if (value === undefined) throw new NotFoundError({ namespace: 'workflows', type: 'Secrets', id: name });
      return value;
    },
  };
}

/** Resolves with the content of a file as soon as there is some. */
export function fileText(path: string): Promise<string> {
  return vi.waitUntil(() => readFile(path, 'utf8').catch(undefinedIfMissing), {
    timeout: 20_000,
    interval: 10,
  }) as Promise<string>;
}
