import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { formatLogLine, type LogLine } from './log-line.js';
import { readLog, tailOffset } from './log-reader.js';

const time = new Date('2026-01-02T03:04:05.678Z');
const written = (text: string) => formatLogLine({ time, stream: 'stdout', text, goesOn: false });

async function take(log: AsyncIterable<LogLine>): Promise<string[]> {
  const texts: string[] = [];
  for await (const line of log) texts.push(line.text);
  return texts;
}

describe('readLog', () => {
  it('gives what is there, with where each line begins and ends', async () => {
    const path = join(await temporaryFolder(), 'log');
    await writeFile(path, written('one') + written('dvě') + written('three'));
    const lines: LogLine[] = [];
    for await (const line of readLog(path)) lines.push(line);
    expect(lines.map((line) => line.text)).toEqual(['one', 'dvě', 'three']);
    expect(lines[1]).toEqual({ time, stream: 'stdout', text: 'dvě', goesOn: false, offset: 36, nextOffset: 73 });
    expect(await take(readLog(path, { from: 73 }))).toEqual(['three']);
    expect(await take(readLog(path, { from: 1000 }))).toEqual([]);
  });

  it('reads logs of many chunks', async () => {
    const path = join(await temporaryFolder(), 'log');
    const texts = Array.from({ length: 300 }, (_, i) => `${i}${'ě'.repeat(i * 7)}`);
    await writeFile(path, texts.map(written).join(''));
    expect(await take(readLog(path))).toEqual(texts);
  });

  it('is empty where there is no log', async () => {
    expect(await take(readLog(join(await temporaryFolder(), 'log')))).toEqual([]);
  });

  it('follows a log from before its beginning to the end of the attempt', async () => {
    const path = join(await temporaryFolder(), 'log');
    let over = false;
    const asked: (() => void)[] = [];
    const isOver = () => {
      asked.shift()?.();
      return over;
    };
    const askedAgain = () => new Promise<void>((resolve) => asked.push(resolve));
    const first = askedAgain();
    const texts: string[] = [];
    const reading = (async () => {
      for await (const line of readLog(path, { isOver, pollMs: 1 })) texts.push(line.text);
    })();
    await first;
    await writeFile(path, written('one') + written('two').slice(0, 20));
    await askedAgain();
    await askedAgain();
    expect(texts).toEqual(['one']);
    await appendFile(path, written('two').slice(20) + written('three'));
    over = true;
    await reading;
    expect(texts).toEqual(['one', 'two', 'three']);
  });

  it('ends with the reason of its signal', async () => {
    const path = join(await temporaryFolder(), 'log');
    await writeFile(path, written('one'));
    const stop = new AbortController();
    const log = readLog(path, { isOver: () => false, signal: stop.signal });
    expect((await log.next()).value?.text).toBe('one');
    const next = log.next();
    stop.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
  });
});

describe('tailOffset', () => {
  it('finds where the last lines begin', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'log');
    expect(await tailOffset(path, 3)).toBe(0);
    const texts = Array.from({ length: 500 }, (_, i) => `${i}`.padEnd(i % 2 === 0 ? 900 : 3));
    await writeFile(path, texts.map(written).join(''));
    for (const count of [0, 1, 2, 70, 250, 499, 500, 501]) {
      expect(await take(readLog(path, { from: await tailOffset(path, count) }))).toEqual(
        count === 0 ? [] : texts.slice(-count),
      );
    }
    await mkdir(join(folder, 'empty'));
    await writeFile(join(folder, 'empty', 'log'), '');
    expect(await tailOffset(join(folder, 'empty', 'log'), 5)).toBe(0);
  });
});
