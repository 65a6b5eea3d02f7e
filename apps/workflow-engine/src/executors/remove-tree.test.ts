import { chmod, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { allowRemoval, removeTree } from './remove-tree.js';
import { temporaryFolder } from './testing/temporary-folder.js';

it('removes folders that may not be written to, and nothing that links lead to', async () => {
  const folder = await temporaryFolder();
  const tree = join(folder, 'tree');
  await mkdir(join(tree, 'a/b'), { recursive: true });
  await mkdir(join(folder, 'other'));
  await writeFile(join(folder, 'other/kept'), '');
  await writeFile(join(tree, 'a/b/file'), '', { mode: 0o400 });
  await symlink('../other', join(tree, 'link'));
  await chmod(join(folder, 'other'), 0o500);
  await chmod(join(tree, 'a/b'), 0o500);
  await chmod(join(tree, 'a'), 0o500);
  const mode = async (path: string) => (await stat(join(folder, path))).mode & 0o777;
  await allowRemoval(tree);
  expect([await mode('tree/a'), await mode('tree/a/b'), await mode('other')]).toEqual([0o700, 0o700, 0o500]);
  await chmod(join(tree, 'a'), 0o500);
  await removeTree(tree);
  expect(await readdir(folder)).toEqual(['other']);
  expect(await readdir(join(folder, 'other'))).toEqual(['kept']);
  await removeTree(tree);
});
