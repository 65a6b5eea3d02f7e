import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import type { Outcome } from '../executor.js';
import { abandoned, running, waiting } from '../testing/abandoned.js';
import { attemptAt, fileText, testContext } from '../testing/attempts.js';
import { until } from '../testing/processes.js';
import { RunFixture } from '../testing/run-fixture.js';
import { isGroupEmpty } from './process-group.js';

// Processes take their time on a machine that has others to do.
vi.setConfig({ testTimeout: 30_000 });

/** An attempt that goes on, and that an engine began which is no more. */
async function goingOn() {
  const run = await RunFixture.make();
  const attempt = waiting(run, 'echo after; echo a=1 >$WORKFLOW_OUTPUT');
  const pid = await abandoned(run, attempt);
  await fileText(run.attemptFile(attempt, 'stdout'));
  const file = (name: string) => run.attemptFile(attempt, name);
  /** What becomes of it when another engine finds it. */
  const adopt = async (): Promise<Outcome> => running(await run.executor.recover(attempt)).adopt(testContext(200));
  return { run, attempt, pid, file, adopt };
}

/** What an attempt is taken for whose executor rejects. */
function failureOf({ message }: Error): Outcome {
  return { state: 'failed', reason: 'error', message };
}

type GoingOn = Awaited<ReturnType<typeof goingOn>>;

describe('a process that goes on, and of which what is kept is damaged', () => {
  it.each<[string, (given: GoingOn, name: string) => Promise<unknown>]>([
    ['is empty', ({ file }, name) => writeFile(file(name), '')],
    ['is cut', async ({ file }, name) => writeFile(file(name), (await readFile(file(name), 'utf8')).slice(0, 20))],
    ['holds something else', ({ file }, name) => writeFile(file(name), '\xff\0\nx\ny\n')],
    ['names another one', ({ file }, name) => writeFile(file(name), `1234567\nboot\nlstart never\n`)],
    [
      'says another start',
      async ({ file }, name) => {
        const text = await readFile(file(name), 'utf8');
        await writeFile(file(name), text.replace(/ \d+( \d+){3}/, ' 1 1 1 1'));
      },
    ],
    [
      'is of another boot',
      async ({ file, pid }, name) => {
        const [, , stat] = (await readFile(file(name), 'utf8')).split('\n');
        await writeFile(file(name), `${pid}\n00000000-0000-4000-8000-000000000000\n${stat}\n`);
      },
    ],
    ['is gone', ({ file }, name) => rm(file(name))],
    [
      'is a folder',
      async ({ file }, name) => {
        await rm(file(name));
        await mkdir(file(name));
      },
    ],
    ['is beside others', ({ file }) => writeFile(file('process.1234567'), '')],
  ])('E13: is found again, and gone on with, when what the shim wrote %s', async (_, damage) => {
    const given = await goingOn();
    await damage(given, `process.${given.pid}`);
    const execution = given.adopt();
    await writeFile(given.run.file('go'), '');
    expect(await execution).toEqual({ state: 'succeeded', outputs: { a: '1' } });
    expect(await given.run.log(given.attempt)).toEqual(['stdout before', 'stdout after']);
    expect(isGroupEmpty(given.pid)).toBe(true);
  });

  it.each(['claim', 'outcome', 'stop', 'exit', 'stdout'])(
    'E13: is ended, and fails with a word on it, when %s is a folder',
    async (name) => {
      const { pid, file, adopt, run, attempt } = await goingOn();
      await rm(file(name), { force: true });
      await mkdir(file(name));
      const failed = { state: 'failed', reason: 'error', message: expect.stringContaining(`${name} is no file`) };
      expect(await adopt().catch(failureOf)).toMatchObject(failed);
      expect(isGroupEmpty(pid)).toBe(true);
      // And the same another time: it is never begun again by itself.
      const again = await (await run.restart()).recover(attempt);
      if (again.found === 'unknown') throw new Error('it counts as lost');
      const outcome = again.found === 'ended' ? again.outcome : await again.adopt(testContext()).catch(failureOf);
      expect(outcome.state).toBe('failed');
    },
  );

  it('E13: does not hold up the engine with a pipe in the place of a file', async () => {
    const { pid, file, adopt } = await goingOn();
    execFileSync('mkfifo', [file('outcome')]);
    expect(await adopt()).toMatchObject({ reason: 'error', message: expect.stringContaining('outcome is no file') });
    expect(isGroupEmpty(pid)).toBe(true);
  });

  it.each<[string, (given: GoingOn) => Promise<unknown>]>([
    ['its claim', ({ file }) => rm(file('claim'))],
    ['all of its folder', ({ run, attempt }) => rm(run.paths.attempt(attempt), { recursive: true })],
  ])('E13: is ended before it is lost, when %s is gone', async (_, remove) => {
    const given = await goingOn();
    await remove(given);
    expect(await given.adopt()).toMatchObject({ state: 'failed', reason: 'lost' });
    expect(isGroupEmpty(given.pid)).toBe(true);
    expect(await given.run.executor.recover(given.attempt)).toEqual({ found: 'unknown' });
  });

  it('E13: is ended when its end cannot be seen any more, by the engine that began it, too', async () => {
    const run = await RunFixture.make();
    const attempt = waiting(run);
    const context = testContext(200);
    const execution = run.executor.execute(attempt, context);
    const pid = await context.begun;
    await fileText(run.attemptFile(attempt, 'stdout'));
    await mkdir(run.attemptFile(attempt, 'exit'));
    await expect(execution).rejects.toThrow('exit is no file');
    expect(isGroupEmpty(pid)).toBe(true);
  });
});

describe('a process that has ended', () => {
  it('E18: fails when there is no file of outputs any more, and is not asked for ever', async () => {
    const run = await RunFixture.make();
    const attempt = waiting(run, 'rm $WORKFLOW_OUTPUT; mkdir $WORKFLOW_OUTPUT');
    const pid = await abandoned(run, attempt);
    await writeFile(run.file('go'), '');
    await until(() => isGroupEmpty(pid));
    expect(await run.executor.recover(attempt)).toMatchObject({
      found: 'ended',
      outcome: { state: 'failed', reason: 'error', message: 'the file $WORKFLOW_OUTPUT is no file any more' },
    });
  });

  it('E18: fails when its log is a folder', async () => {
    const run = await RunFixture.make();
    const attempt = attemptAt({ script: `until [ -e ${run.file('go')} ]; do sleep 0.02; done` });
    const pid = await abandoned(run, attempt);
    await writeFile(run.file('go'), '');
    await until(() => isGroupEmpty(pid));
    await rm(run.paths.log(attempt), { force: true });
    await mkdir(run.paths.log(attempt), { recursive: true });
    expect(await run.executor.recover(attempt)).toMatchObject({
      found: 'ended',
      outcome: { state: 'failed', reason: 'error', message: expect.stringContaining('its end cannot be taken over') },
    });
  });
});
