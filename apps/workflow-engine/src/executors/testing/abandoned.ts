import { access } from 'node:fs/promises';
import { expect, onTestFinished } from 'vitest';
import type { Attempt, Recovery } from '../executor.js';
import { isGroupEmpty } from '../run/process-group.js';
import { attemptAt, testContext } from './attempts.js';
import { until } from './processes.js';
import type { RunFixture } from './run-fixture.js';

/** Begins an attempt, and forgets about it as an engine does that is killed. Gives its process group. */
export async function abandoned(
  run: RunFixture,
  attempt: Attempt,
  secrets?: Readonly<Record<string, string>>,
): Promise<number> {
  const context = testContext(1000, secrets);
  const execution = run.executor.execute(attempt, context).catch((error: Error) => error);
  const pid = await context.begun;
  onTestFinished(() => {
    if (!isGroupEmpty(pid)) process.kill(-pid, 'SIGKILL');
  });
  await until(() =>
    access(run.attemptFile(attempt, 'claim')).then(
      () => true,
      () => false,
    ),
  );
  await run.restart();
  expect(await execution).toMatchObject({ code: 'closed' });
  return pid;
}

/** A process that goes on until the file is there. */
export function waiting(run: RunFixture, rest = 'echo after'): Attempt {
  return attemptAt({ script: `echo before\nuntil [ -e ${run.file('go')} ]; do sleep 0.02; done\n${rest}` });
}

export function running(recovery: Recovery): Extract<Recovery, { found: 'running' }> {
  if (recovery.found !== 'running') throw new Error(`it was found ${recovery.found}`);
  return recovery;
}
