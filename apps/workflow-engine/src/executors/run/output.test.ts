import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { readLog } from '../logs/log-reader.js';
import { attemptAt, testContext } from '../testing/attempts.js';
import { RunFixture } from '../testing/run-fixture.js';

// Processes take their time on a machine that has others to do.
vi.setConfig({ testTimeout: 30_000 });

const node = (script: string) => ({ args: ['node', '-e', script] });

describe('outputs that make no sense', () => {
  const secret = 'hunter2-and-more';

  it.each([
    ['a line of no form', `echo "key $KEY" >> "$WORKFLOW_OUTPUT"`, 'not of the form name=value: "key ***"'],
    ['a long line', `echo "${'x'.repeat(75)} $KEY" >> "$WORKFLOW_OUTPUT"`, `"${'x'.repeat(75)} ***"`],
    ['no JSON', `echo "x:=$KEY" >> "$WORKFLOW_OUTPUT"`, 'line 1 of the outputs: x is not JSON'],
    ['a link that leads out', `ln -s / "$KEY"; mkdir d; mv "$KEY" d`, 'the link d/*** leads to /'],
  ])('are told without secrets: %s', async (_, script, message) => {
    const run = await RunFixture.make();
    const secretEnv = { KEY: { secret: 's', key: 'k' } };
    const attempt = attemptAt({ script, secretEnv, artifacts: script.includes('mkdir') ? ['d'] : [] });
    const outcome = await run.executor.execute(attempt, testContext(0, { 's/k': secret }));
    expect(outcome).toMatchObject({ state: 'failed', message: expect.stringContaining(message) });
    expect(JSON.stringify([outcome, await run.log(attempt)])).not.toMatch(/hunter2/);
  });
});

describe('the output of a process', () => {
  it('is in the log while it goes on', async () => {
    const run = await RunFixture.make();
    const go = run.file('go');
    const attempt = attemptAt({ script: `echo one; until [ -e ${go} ]; do sleep 0.02; done; echo two` });
    const execution = run.executor.execute(attempt, testContext());
    let over = false;
    void execution.finally(() => {
      over = true;
    });
    const seen: string[] = [];
    for await (const line of readLog(run.paths.log(attempt), { isOver: () => over, pollMs: 5 })) {
      seen.push(line.text);
      if (line.text === 'one') await writeFile(go, '');
    }
    expect(seen).toEqual(['one', 'two']);
    expect((await execution).state).toBe('succeeded');
  });

  it('is bounded in the log, with its last lines', async () => {
    const run = await RunFixture.make({ maxLogBytes: 100_000 });
    const attempt = attemptAt(
      node(`
        const lines = [];
        for (let i = 0; i < 400000; i++) lines.push('line ' + i);
        require('fs').writeSync(1, lines.join('\\n') + '\\n');
        console.error('the end');
        process.exitCode = 1;
      `),
    );
    expect(await run.executor.execute(attempt, testContext())).toMatchObject({ message: 'exit code 1: the end' });
    expect((await stat(run.paths.log(attempt))).size).toBeLessThanOrEqual(100_500);
    const log = await run.log(attempt);
    expect(log[0]).toBe('stdout line 0');
    expect(log).toContain('engine the log is cut here: it is full; its last lines follow when the attempt has ended');
    expect(log.some((line) => /^engine \d+ bytes of the log are left out here$/.test(line))).toBe(true);
    expect(log.slice(-3)).toEqual(['stdout line 399999', 'stderr the end', 'engine exit code 1: the end']);
    expect(await readdir(run.paths.attempt(attempt))).not.toContain('stdout');
  });

  it('does not fill the disk: what is left out of the log is not kept', async () => {
    const run = await RunFixture.make({ maxLogBytes: 20_000 });
    // Floods, and waits each time until most of that has been taken away.
    const attempt = attemptAt(
      node(`
        const fs = require('fs');
        const path = require('path');
        const flood = Buffer.from('some text that comes again and again\\n'.repeat(500_000));
        let rounds = 0;
        const timer = setInterval(() => {
          if (fs.statSync(path.join(path.dirname(process.env.WORKFLOW_OUTPUT), 'stdout')).size > 16 * 1024 * 1024) return;
          if (rounds++ < 3) return fs.writeSync(1, flood);
          // The rest of a line that was taken away is not shown.
          fs.writeSync(1, 'rest\\nend');
          clearInterval(timer);
        }, 5);
      `),
    );
    expect((await run.executor.execute(attempt, testContext())).state).toBe('succeeded');
    expect((await run.log(attempt)).at(-1)).toBe('stdout end');
  });

  it('may be one huge line', async () => {
    const run = await RunFixture.make({ maxLineBytes: 1000 });
    const attempt = attemptAt(node("process.stdout.write('x'.repeat(1_000_500))"));
    await run.executor.execute(attempt, testContext());
    const log = await run.log(attempt);
    expect(log).toHaveLength(1001);
    expect(log[0]).toBe(`stdout+ ${'x'.repeat(1000)}`);
    expect(log.at(-1)).toBe(`stdout ${'x'.repeat(500)}`);
  });

  it('may be anything', async () => {
    const run = await RunFixture.make();
    const attempt = attemptAt(
      node('require("fs").writeSync(1, Buffer.from(Array.from({ length: 4096 }, (_, i) => i % 256)))'),
    );
    expect((await run.executor.execute(attempt, testContext())).state).toBe('succeeded');
    const log = await run.log(attempt);
    expect(log).toHaveLength(17);
    expect(log[1]).toContain('\ufffd');
  });

  it('shows no secret, however it is written, also in messages and after a cut', async () => {
    const run = await RunFixture.make({ maxLogBytes: 8192 });
    const secret = 'correct horse battery';
    const attempt = attemptAt({
      ...node(`
        const fs = require('fs');
        for (const letter of process.env.SECRET) fs.writeSync(1, letter);
        for (let i = 0; i < 5000; i++) fs.writeSync(1, '\\n' + i + ' ' + process.env.SECRET);
        fs.writeSync(2, 'wrong: ' + process.env.SECRET.slice(0, 9));
        fs.writeSync(2, process.env.SECRET.slice(9));
        process.exitCode = 1;
      `),
      secretEnv: { SECRET: { secret: 's', key: 'k' } },
    });
    const outcome = await run.executor.execute(attempt, testContext(0, { 's/k': secret }));
    expect(outcome).toMatchObject({ message: 'exit code 1: wrong: ***' });
    const text = await readFile(run.paths.log(attempt), 'utf8');
    expect(text).toContain('stdout\t***\n');
    expect(text).toContain('stdout\t4999 ***\n');
    expect(text).not.toMatch(/correct|horse|battery/);
    for (const name of await readdir(run.paths.attempt(attempt))) {
      if (name !== 'work') expect(await readFile(run.attemptFile(attempt, name), 'utf8')).not.toContain(secret);
    }
  });
});
