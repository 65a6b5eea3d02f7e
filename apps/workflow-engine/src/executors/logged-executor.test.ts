import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Executor } from './executor.js';
import { LoggedExecutor, type PluginContext } from './logged-executor.js';
import { attemptAt, testContext } from './testing/attempts.js';
import { temporaryFolder } from './testing/temporary-folder.js';

async function logged(executor: { readonly execute: unknown; readonly recover?: unknown }) {
  const folder = await temporaryFolder();
  const own = new LoggedExecutor(folder, { name: 'sql', ...executor } as unknown as Executor);
  const text = async () =>
    (await readFile(`${folder}/logs/r1/build/1.log`, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(25).replace('\t', ' '));
  return { own, text };
}

const attempt = attemptAt({});

describe('an executor of a plugin', () => {
  it('has a log, in which its secrets are masked', async () => {
    const { own, text } = await logged({
      execute: async (_: never, { log, secret, report }: PluginContext) => {
        log.info(`connecting with ${await secret('db', 'url')}`);
        log.warn('slow');
        report({ pid: 7 });
        return { state: 'succeeded', outputs: { a: 1 } };
      },
    });
    const context = testContext(1000, { 'db/url': 'hunter2' });
    expect(await own.execute(attempt, context)).toEqual({ state: 'succeeded', outputs: { a: 1 } });
    expect(await text()).toEqual(['stdout connecting with ***', 'stderr slow']);
    expect(context.progress).toEqual({ log: 'r1/build/1.log', pid: 7 });
  });

  it('has why it failed in its log', async () => {
    const failed = await logged({ execute: async () => ({ state: 'failed', reason: 'error', message: 'no table' }) });
    expect((await failed.own.execute(attempt, testContext())).state).toBe('failed');
    expect(await failed.text()).toEqual(['engine no table']);
    const broken = await logged({
      execute: () => {
        throw new Error('broken');
      },
    });
    await expect(broken.own.execute(attempt, testContext())).rejects.toThrow('broken');
    expect(await broken.text()).toEqual(['engine broken']);
  });

  it('E18: is asked what became of an attempt only when it can tell, and goes on with its log', async () => {
    const execute = async () => ({ state: 'succeeded', outputs: {} });
    expect((await logged({ execute })).own.recover).toBeUndefined();
    const recover = async () => ({
      found: 'running' as const,
      adopt: async (context: never) => {
        (context as PluginContext).log.info('found');
        return { state: 'succeeded' as const, outputs: {} };
      },
    });
    const { own, text } = await logged({ execute, recover });
    const recovery = await own.recover?.(attempt);
    if (recovery?.found !== 'running') throw new Error('it is not found');
    await recovery.adopt(testContext());
    expect(await text()).toEqual(['stdout found']);
    await own.forget('r1');
    await expect(text()).rejects.toThrow('ENOENT');
  });
});
