import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { until } from '../testing/processes.js';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { isAlive, isReplaced, parseIdentity, parseStat, readStat, startByPs } from './process-identity.js';
import { shim, shimName } from './shim.js';

// Processes take their time on a machine that has others to do.
vi.setConfig({ testTimeout: 30_000 });

const line = '42 (sh) S 1 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654 2945024 1 18446744073709551615 0';

describe('parseStat', () => {
  it.each([
    [line, { group: 42, start: '987654', isZombie: false, isWaiting: true }],
    [line.replace('(sh) S', '(a) R 7 (b c) R'), { group: 42, start: '987654', isZombie: false, isWaiting: false }],
    [line.replace(') S', ') Z'), { group: 42, start: '987654', isZombie: true, isWaiting: false }],
    ['', undefined],
    ['42 (sh) S 1', undefined],
  ])('reads %j', (text, stat) => {
    expect(parseStat(text)).toEqual(stat);
  });

  it('reads this process', () => {
    expect(readStat(process.pid)).toMatchObject({ isZombie: false, start: expect.stringMatching(/^\d+$/) });
    expect(readStat(2 ** 30)).toBeUndefined();
  });
});

describe('parseIdentity', () => {
  it.each([
    [`42\nboot\n${line}\n`, { pid: 42, boot: 'boot', start: '987654' }],
    ['42\n\nlstart Sun Nov 29 22:32:11 2026\n', { pid: 42, boot: '', start: 'Sun Nov 29 22:32:11 2026' }],
    [`42\nboot\n${line}`, undefined],
    ['42\nboot\n', undefined],
    ['', undefined],
    ['42\n\nlstart \n', undefined],
    [`1\nboot\n${line}\n`, undefined],
    [`x\nboot\n${line}\n`, undefined],
  ])('reads %j', (text, identity) => {
    expect(parseIdentity(text)).toEqual(identity);
  });
});

describe('a process', () => {
  it('is known again, until it has ended', async () => {
    const folder = await temporaryFolder();
    const child = spawn('/bin/sh', ['-c', shim, shimName, folder, 'cat'], { stdio: ['pipe', 'ignore', 'ignore'] });
    const ended = once(child, 'exit');
    await until(() =>
      readFile(join(folder, 'claim')).then(
        () => true,
        () => false,
      ),
    );
    const identity = parseIdentity(await readFile(join(folder, `process.${child.pid}`), 'latin1'));
    if (identity === undefined) throw new Error('the shim has not said who it is');
    expect(identity.pid).toBe(child.pid);
    expect([isAlive(identity), isReplaced(identity)]).toEqual([true, false]);
    const other = { ...identity, start: '1' };
    expect([isAlive(other), isReplaced(other)]).toEqual([false, true]);
    const before = { ...identity, boot: 'another' };
    expect([isAlive(before), isReplaced(before)]).toEqual([false, true]);
    child.stdin?.end();
    await ended;
    expect([isAlive(identity), isReplaced(identity)]).toEqual([false, false]);
  });

  it('is known by ps where there is no /proc', async () => {
    const folder = await temporaryFolder();
    const script = shim.replaceAll('/proc/', '/no-proc/');
    const child = spawn('/bin/sh', ['-c', script, shimName, folder, 'cat'], { stdio: ['pipe', 'ignore', 'pipe'] });
    onTestFinished(() => void child.stdin?.end());
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    await until(() =>
      readFile(join(folder, 'claim')).then(
        () => true,
        () => false,
      ),
    );
    const identity = parseIdentity(await readFile(join(folder, `process.${child.pid}`), 'latin1'));
    expect(identity).toEqual({ pid: child.pid, boot: '', start: startByPs(child.pid as number) });
    expect(identity?.start).toMatch(/^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/);
    expect(startByPs(2 ** 22 + 1)).toBeUndefined();
    expect(errors).toBe('');
  });
});
