import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { BuiltApp } from '@cosi-ts/app-kit/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Attempt, Outcome, Recovery } from '../executor.js';
import { undefinedIfMissing } from '../missing-file.js';
import { attemptAt, testContext } from '../testing/attempts.js';
import { commandOf, isThere, processes, until } from '../testing/processes.js';
import { RunFixture } from '../testing/run-fixture.js';

// Processes take their time on a machine that has others to do.
vi.setConfig({ testTimeout: 30_000 });

let engine: BuiltApp;

beforeAll(async () => {
  const main = new URL('../testing/engine-process.ts', import.meta.url).pathname;
  engine = await BuiltApp.build(relative(new URL('../../../../../', import.meta.url).pathname, main));
}, 60_000);

afterAll(() => engine[Symbol.asyncDispose]());

/** Executes the attempt by an engine that is killed at the moment. Resolves when it is. */
async function killed(run: RunFixture, attempt: Attempt, moment: string): Promise<void> {
  const args = [run.file('data'), JSON.stringify(attempt), ...moment.split(' ')];
  const child = spawn(process.execPath, [engine.entry, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
}

/** Goes on until the outcome is known; undefined when the attempt is lost. */
async function outcomeOf(recovery: Recovery): Promise<Outcome | undefined> {
  if (recovery.found === 'running') return recovery.adopt(testContext(1000));
  return recovery.found === 'ended' ? recovery.outcome : undefined;
}

/** Resolves when no process of the attempt is left, also no shim that comes late. */
async function quiet(run: RunFixture, attempt: Attempt): Promise<void> {
  const folder = run.paths.attempt(attempt);
  await until(() => !processes().some((pid) => isThere(pid) && commandOf(pid).includes(folder)));
}

describe('an engine that is killed', () => {
  it.each([
    'after mkdirSync /r1/build/1',
    'after writeFileSync /script',
    'after writeFileSync /package.json',
    'after mkdirSync /work',
    'after openSync /stderr',
    'before spawn',
    'after spawn',
    'after mkdir /.build.draft',
    'before rename /.build.draft',
    'after rename /.build.draft',
    'before writeFileSync /outcome.draft',
    'after writeFileSync /outcome.draft',
    'after renameSync /outcome.draft',
    'after rmSync /stdout',
    'before rmdir /work',
  ])('E13, E18: %s, has begun the command at most once, and nothing of it is lost', async (moment) => {
    const run = await RunFixture.make();
    const script = `echo $WORKFLOW_ATTEMPT >>${run.file('effects')}; echo done; echo a=1 >$WORKFLOW_OUTPUT; touch made`;
    const attempt = attemptAt({ script, artifacts: ['made'] });
    await killed(run, attempt, moment);
    const recovery = await run.executor.recover(attempt);
    const outcome = await outcomeOf(recovery);
    await quiet(run, attempt);
    const effects = (await readFile(run.file('effects'), 'utf8').catch(undefinedIfMissing)) ?? '';
    // Without a result it has not begun, and will not; with one it has, once.
    expect(effects).toBe(outcome === undefined ? '' : '1\n');
    if (outcome !== undefined) {
      expect(outcome).toEqual({ state: 'succeeded', outputs: { a: '1' } });
      expect(await run.log(attempt)).toEqual(['stdout done']);
      expect(await readdir(run.paths.artifacts(attempt))).toEqual(['made']);
      expect(await readdir(run.file('data/artifacts/r1'))).toEqual(['build']);
    }
    // The next engine finds the same.
    const again = await (await run.restart()).recover(attempt);
    expect(await outcomeOf(again)).toEqual(outcome);
    // What is lost is made again by another attempt.
    if (outcome === undefined) {
      const next = await run.executor.execute({ ...attempt, attempt: 2 }, testContext());
      expect(next).toEqual({ state: 'succeeded', outputs: { a: '1' } });
      expect(await readFile(run.file('effects'), 'utf8')).toBe('2\n');
    }
  });
});
