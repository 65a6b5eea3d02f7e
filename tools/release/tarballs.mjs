// The packages as they would be published: packed by pnpm, which puts real versions for `workspace:` and adds LICENSE.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../launch/child.mjs';
import { StepFailed } from '../launch/step.mjs';
import { members, pnpm, root } from '../launch/workspace.mjs';

/** The folders' names of the packages that are published. */
export const publishedPackages = () =>
  members()
    .filter(({ folder, manifest }) => folder.startsWith('packages/') && manifest.private !== true)
    .map(({ folder }) => folder.slice('packages/'.length));

/**
 * Packs packages, built beforehand, into a folder.
 * @param {readonly string[]} names of folders in packages/
 * @param {string} folder
 * @returns {Promise<Map<string, string>>} the tarball's path by the folder's name
 */
export async function packTarballs(names, folder) {
  const filters = names.flatMap((name) => ['--filter', `./packages/${name}`]);
  const args = [...pnpm(), '--recursive', ...filters, 'pack', '--pack-destination', folder];
  const result = await run('npx', args, { cwd: root });
  if (result.exitCode !== 0) throw new StepFailed('pnpm pack: failed', result);
  const packed = readdirSync(folder);
  return new Map(
    names.map((name) => {
      const file = packed.find((each) => new RegExp(`^cosi-ts-${name}-\\d+\\.\\d+\\.\\d+.*\\.tgz$`).test(each));
      if (file === undefined) throw new StepFailed(`pnpm pack: no tarball for ${name} in ${packed.join(', ')}`);
      return [name, join(folder, file)];
    }),
  );
}
