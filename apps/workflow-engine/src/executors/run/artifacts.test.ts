import { chmod, mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { attemptAt, testContext } from '../testing/attempts.js';
import { RunFixture } from '../testing/run-fixture.js';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { keepArtifacts } from './artifacts.js';

// Processes take their time on a machine that has others to do.
vi.setConfig({ testTimeout: 30_000 });

async function workingFolder(): Promise<{ from: string; to: string }> {
  const folder = await temporaryFolder();
  const from = join(folder, 'work');
  await mkdir(join(from, 'dist/deep'), { recursive: true });
  await mkdir(join(folder, 'outside'));
  await writeFile(join(folder, 'outside/secret'), 'x');
  await writeFile(join(from, 'dist/a'), 'a');
  await writeFile(join(from, 'dist/deep/b'), 'b');
  await writeFile(join(from, 'report.txt'), 'r');
  return { from, to: join(folder, 'kept/build') };
}

describe('artifacts', () => {
  it('are copied with their paths and modes, all at once', async () => {
    const { from, to } = await workingFolder();
    await chmod(join(from, 'dist/a'), 0o755);
    await symlink('deep/b', join(from, 'dist/link'));
    await keepArtifacts({ from, paths: ['dist/', './report.txt'], to });
    expect((await readdir(to, { recursive: true })).sort()).toEqual(
      ['dist', 'dist/a', 'dist/deep', 'dist/deep/b', 'dist/link', 'report.txt'].sort(),
    );
    expect(await readFile(join(to, 'dist/deep/b'), 'utf8')).toBe('b');
    expect((await stat(join(to, 'dist/a'))).mode & 0o777).toBe(0o755);
    expect(await readlink(join(to, 'dist/link'))).toBe('deep/b');
    expect(await readdir(join(to, '..'))).toEqual(['build']);
  });

  // Other systems refuse such names themselves.
  it.runIf(process.platform === 'linux')('have names that are UTF-8, and so have links', async () => {
    const { from, to } = await workingFolder();
    const odd = (name: string) => Buffer.concat([Buffer.from(join(from, 'dist/deep/')), Buffer.from(name, 'latin1')]);
    await writeFile(odd('caf\xe9'), '');
    const keeping = () => keepArtifacts({ from, paths: ['dist'], to });
    await expect(keeping()).rejects.toThrow('the name of a file in dist/deep is not UTF-8: caf\\xe9.');
    await rm(odd('caf\xe9'));
    await symlink(Buffer.from('\xff', 'latin1'), join(from, 'dist/deep/link'));
    await expect(keeping()).rejects.toThrow('the name that the link dist/deep/link leads to is not UTF-8: \\xff.');
    await rm(join(from, 'dist/deep/link'));
    await writeFile(join(from, 'dist/deep/café'), '');
    await keeping();
    expect(await readdir(join(to, 'dist/deep'))).toContain('café');
  });

  it('replace those of an attempt that ended before its end was known', async () => {
    const { from, to } = await workingFolder();
    await keepArtifacts({ from, paths: ['dist'], to });
    await keepArtifacts({ from, paths: ['report.txt'], to });
    expect(await readdir(to)).toEqual(['report.txt']);
  });

  it.each<[string, string, string, string]>([
    [
      'a link to the outside',
      '../../outside',
      'dist',
      'the link dist/l leads to ../../outside, out of the working folder',
    ],
    ['an absolute link', '/etc/passwd', 'dist', 'the link dist/l leads to /etc/passwd, out of the working folder'],
    ['a link to nothing', 'none', 'dist', 'the link dist/l leads to none, which is not there'],
    ['a link out by way of another', 'deep/up/../outside/secret', 'dist', 'out of the working folder'],
    ['itself a link to the outside', '../../outside', 'dist/l', 'the artifact dist/l leads out of the working folder'],
    ['by way of a link to the outside', '../../outside', 'dist/l/secret', 'leads out of the working folder'],
    ['not there', 'a', 'dist/c', 'the artifact dist/c is not there: nothing has made it'],
  ])('are refused: %s', async (_, target, path, message) => {
    const { from, to } = await workingFolder();
    await symlink('../..', join(from, 'dist/deep/up'));
    await symlink(target, join(from, 'dist/l'));
    await expect(keepArtifacts({ from, paths: ['report.txt', path], to })).rejects.toThrow(message);
    expect(await readdir(join(to, '..'))).toEqual([]);
  });

  it('come from a process, and are there for the ones after it', async () => {
    const run = await RunFixture.make();
    const made = (index: number) =>
      attemptAt({ script: `mkdir -p out; echo ${index} >out/n`, artifacts: ['out'] }, { index });
    expect(await run.executor.execute(made(0), testContext())).toEqual({ state: 'succeeded', outputs: {} });
    expect(await run.executor.execute(made(1), testContext())).toEqual({ state: 'succeeded', outputs: {} });
    const next = attemptAt({ script: 'cat "$WORKFLOW_ARTIFACTS"/build/*/out/n' }, { step: 'reduce' });
    await run.executor.execute(next, testContext());
    expect(await run.log(next)).toEqual(['stdout 0', 'stdout 1']);
  });

  it('that are missing make a process fail that has succeeded', async () => {
    const run = await RunFixture.make();
    const attempt = attemptAt({ script: 'true', artifacts: ['dist'] });
    const message = 'the artifact dist is not there: nothing has made it';
    expect(await run.executor.execute(attempt, testContext())).toEqual({ state: 'failed', reason: 'error', message });
    expect(await readdir(run.attemptFile(attempt, 'work'))).toEqual([]);
  });
});
