import { appendFile, mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { parseLogLine } from './log-line.js';
import { LogWriter } from './log-writer.js';

const time = new Date('2026-01-02T03:04:05.678Z');

async function logPath(): Promise<string> {
  return join(await temporaryFolder(), 'logs', 'a.log');
}

async function shown(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const parsed = parseLogLine(line);
      return `${parsed?.stream} ${parsed?.text}`;
    });
}

/** Lines with their number, each of 1000 bytes in the log. */
function writeMany(log: LogWriter, from: number, count: number): void {
  for (let i = from; i < from + count; i++) log.say('stdout', String(i).padEnd(967, '.'), time);
}

describe('LogWriter', () => {
  it('makes the file with the first line, for its owner only', async () => {
    const path = await logPath();
    const log = new LogWriter(path);
    await log.flush();
    await expect(stat(path)).rejects.toThrow('ENOENT');
    log.say('stdout', 'one\ntwo', time);
    await log.flush();
    expect(await shown(path)).toEqual(['stdout one', 'stdout two']);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await log.close(time);
  });

  it('makes no file where nothing is written', async () => {
    const path = await logPath();
    await new LogWriter(path).close(time);
    await expect(stat(path)).rejects.toThrow('ENOENT');
  });

  it('keeps its limit, says what is left out, and has the last lines at the end', async () => {
    const path = await logPath();
    const log = new LogWriter(path, { maxBytes: 40_000, tailBytes: 5000 });
    writeMany(log, 0, 34);
    expect(log.isCut).toBe(false);
    writeMany(log, 34, 66);
    expect(log.isCut).toBe(true);
    await log.close(time);
    const lines = await shown(path);
    expect((await stat(path)).size).toBeLessThanOrEqual(40_000);
    expect(lines.slice(33).map((line) => line.replaceAll('.', ''))).toEqual([
      'stdout 33',
      'engine the log is cut here: it is full; its last lines follow when the attempt has ended',
      'engine 61000 bytes of the log are left out here',
      ...[95, 96, 97, 98, 99].map((i) => `stdout ${i}`),
    ]);
  });

  it('leaves nothing out that has room at the end', async () => {
    const path = await logPath();
    const log = new LogWriter(path, { maxBytes: 40_000, tailBytes: 5000 });
    writeMany(log, 0, 36);
    await log.close(time);
    expect((await shown(path)).filter((line) => line.startsWith('stdout'))).toHaveLength(36);
    expect((await shown(path)).join()).not.toContain('left out');
  });

  it('goes on with the log of another, without a line that was not written whole', async () => {
    const path = await logPath();
    const first = new LogWriter(path);
    first.say('stdout', 'one', time);
    first.say('stderr', 'two', time);
    first.say('engine', 'three', time);
    await first.close(time);
    await appendFile(path, '2026-01-02T03:04:05.678Z\tstdo');
    const second = new LogWriter(path);
    expect(await second.resume()).toEqual({ stdout: 1, stderr: 1, isCut: false });
    second.say('stdout', 'four', time);
    await second.close(time);
    expect(await shown(path)).toEqual(['stdout one', 'stderr two', 'engine three', 'stdout four']);
  });

  it('goes on with a log that was cut, and makes its end anew', async () => {
    const path = await logPath();
    const options = { maxBytes: 40_000, tailBytes: 5000 };
    const first = new LogWriter(path, options);
    writeMany(first, 0, 100);
    await first.close(time);
    const second = new LogWriter(path, options);
    expect(await second.resume()).toEqual({ stdout: 34, stderr: 0, isCut: true });
    writeMany(second, 98, 3);
    await second.close(time);
    const lines = await shown(path);
    expect(lines.slice(34).map((line) => line.replaceAll('.', ''))).toEqual([
      'engine the log is cut here: it is full; its last lines follow when the attempt has ended',
      ...[98, 99, 100].map((i) => `stdout ${i}`),
    ]);
  });

  it('tells once of a file that it cannot write', async () => {
    const path = await logPath();
    await mkdir(path, { recursive: true });
    const errors: unknown[] = [];
    const log = new LogWriter(path, { onError: (error) => errors.push(error) });
    log.say('stdout', 'one', time);
    await log.flush();
    log.say('stdout', 'two', time);
    await log.close(time);
    expect(errors).toEqual([expect.objectContaining({ code: 'EISDIR' })]);
  });
});
