import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { TemporaryFolder } from '../testing/temporary-folder.js';
import { createFile, replaceFile } from './durable-file.js';

describe('durable files', () => {
  it('replaces a file, and makes it readable by its owner only', async () => {
    await using folder = await TemporaryFolder.make();
    const path = folder.file('a');
    await writeFile(path, 'old', { mode: 0o644 });
    await replaceFile(path, 'new');
    expect(await readFile(path, 'utf8')).toBe('new');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder.path)).toEqual(['a']);
  });

  it('makes a file only where there is none', async () => {
    await using folder = await TemporaryFolder.make();
    const path = folder.file('a');
    expect(await createFile(path, 'first')).toBe(true);
    expect(await createFile(path, 'second')).toBe(false);
    expect(await readFile(path, 'utf8')).toBe('first');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder.path)).toEqual(['a']);
  });

  it('leaves nothing behind when it fails', async () => {
    await using folder = await TemporaryFolder.make();
    await mkdir(folder.file('a'));
    await expect(replaceFile(folder.file('a'), 'new')).rejects.toThrow('EISDIR');
    expect(await readdir(folder.path)).toEqual(['a']);
    await expect(createFile(folder.file('none/a'), 'new')).rejects.toThrow('ENOENT');
  });
});
