// A fingerprint is a hash over the names and contents of files: equal fingerprints prove that nothing changed.
// It does not ask git, which need not be installed and knows nothing of built files.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/**
 * @param {string} root
 * @param {readonly string[]} paths files and folders below root; those that do not exist count as absent
 * @param {(path: string) => boolean} [wanted] by path from root, with `/` between its parts
 * @returns {string}
 */
export function fingerprint(root, paths, wanted = () => true) {
  const hash = createHash('sha256');
  /** @param {string} path */
  const add = (path) => {
    const name = relative(root, path).split(sep).join('/');
    if (!wanted(name)) return;
    if (statSync(path).isDirectory()) {
      for (const entry of readdirSync(path).sort()) add(join(path, entry));
      return;
    }
    const content = readFileSync(path);
    hash.update(`${name}\0${content.length}\0`).update(content);
  };
  for (const path of paths) if (existsSync(join(root, path))) add(join(root, path));
  return hash.digest('hex');
}
