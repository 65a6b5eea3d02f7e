import { lstat, mkdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TemporaryFolder } from '@cosi-ts/app-kit/testing';
import { describe, expect, it } from 'vitest';
import { backUpFiles } from './back-up-files.js';

describe('files in backups', () => {
  it('are logs and artifacts, as they are, and nothing else', async () => {
    await using folder = await TemporaryFolder.make();
    const write = async (name: string, text: string) => {
      await mkdir(dirname(folder.file(name)), { recursive: true });
      await writeFile(folder.file(name), text);
    };
    await write('data/logs/run/step/1.log', 'a line');
    await write('data/artifacts/run/step/out/a.txt', 'a');
    await write('data/attempts/run/step/1/outcome', '{}');
    await symlink('a.txt', folder.file('data/artifacts/run/step/out/b.txt'));
    await mkdir(folder.file('copy'));
    await backUpFiles(folder.file('data'), folder.file('copy'));
    expect(await readFile(folder.file('copy/logs/run/step/1.log'), 'utf8')).toBe('a line');
    expect(await readlink(folder.file('copy/artifacts/run/step/out/b.txt'))).toBe('a.txt');
    await expect(lstat(folder.file('copy/attempts'))).rejects.toMatchObject({ code: 'ENOENT' });
    // There is nothing to take along where no step was executed.
    await backUpFiles(folder.file('none'), folder.file('copy'));
    await expect(backUpFiles(folder.file('data'), folder.file('copy'))).rejects.toThrow('not all of its logs');
  });
});
