import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** What a module imports, itself or through others of this package: the names of packages. */
function packagesOf(file: string, seen = new Set<string>()): Set<string> {
  const packages = new Set<string>();
  if (seen.has(file)) return packages;
  seen.add(file);
  for (const [, name] of readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm)) {
    if (name === undefined) continue;
    if (!name.startsWith('.')) packages.add(name);
    else for (const found of packagesOf(join(dirname(file), name.replace(/\.js$/, '.ts')), seen)) packages.add(found);
  }
  return packages;
}

describe('the entry for browsers', () => {
  it('imports nothing of Node', () => {
    const packages = [...packagesOf(join(import.meta.dirname, 'web.ts'))].sort();
    expect(packages).toEqual([
      '@bufbuild/protobuf',
      '@bufbuild/protobuf/wire',
      '@connectrpc/connect',
      '@connectrpc/connect-web',
      '@cosi-ts/proto',
      '@cosi-ts/resource',
      '@cosi-ts/state',
    ]);
  });
});
