import { existsSync } from 'node:fs';
import { stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TemporaryFolder } from '../testing/temporary-folder.js';
import { ensureFolder } from './ensure-folder.js';

describe('ensureFolder', () => {
  it('makes what is missing, for its owner only, any number of times and by many at once', async () => {
    await using folder = await TemporaryFolder.make();
    const path = join(folder.path, 'a', 'b', 'c');
    await Promise.all(Array.from({ length: 10 }, () => ensureFolder(path)));
    await ensureFolder(path);
    expect((await stat(join(folder.path, 'a'))).mode & 0o777).toBe(0o700);
    expect((await stat(path)).isDirectory()).toBe(true);
  });

  it('follows links to folders, and says what is in the way', async () => {
    await using folder = await TemporaryFolder.make();
    await symlink(folder.path, join(folder.path, 'link'));
    await ensureFolder(join(folder.path, 'link', 'a'));
    expect(existsSync(join(folder.path, 'a'))).toBe(true);
    await writeFile(join(folder.path, 'file'), '');
    await expect(ensureFolder(join(folder.path, 'file'))).rejects.toThrow('EEXIST');
    await expect(ensureFolder(join(folder.path, 'file', 'a'))).rejects.toThrow('ENOTDIR');
  });

  it.runIf(existsSync('/proc/self'))('ends where there can be no folder', async () => {
    await expect(ensureFolder('/proc/x')).rejects.toThrow('ENOENT');
    await expect(ensureFolder('/proc/x/y/z')).rejects.toThrow('ENOENT');
  });
});
