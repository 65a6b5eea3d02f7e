import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fingerprint } from './fingerprint.mjs';

describe('fingerprint', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'cosi-fingerprint-'));
    mkdirSync(join(root, 'src/deep'), { recursive: true });
    writeFileSync(join(root, 'src/a.ts'), 'a');
    writeFileSync(join(root, 'src/deep/b.ts'), 'b');
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('stays the same when only times change', () => {
    const before = fingerprint(root, ['src']);
    utimesSync(join(root, 'src/a.ts'), 1, 1);
    expect(fingerprint(root, ['src'])).toBe(before);
  });

  it.each<[string, () => void]>([
    ['a content', () => writeFileSync(join(root, 'src/deep/b.ts'), 'c')],
    ['a new file', () => writeFileSync(join(root, 'src/c.ts'), '')],
    ['a removed file', () => rmSync(join(root, 'src/a.ts'))],
    [
      'a name',
      () => {
        rmSync(join(root, 'src/a.ts'));
        writeFileSync(join(root, 'src/z.ts'), 'a');
      },
    ],
  ])('changes with %s', (_, change) => {
    const before = fingerprint(root, ['src']);
    change();
    expect(fingerprint(root, ['src'])).not.toBe(before);
  });

  it('leaves out what is not wanted, and what does not exist', () => {
    const wanted = (path: string) => !path.startsWith('src/deep');
    const before = fingerprint(root, ['src', 'absent'], wanted);
    writeFileSync(join(root, 'src/deep/b.ts'), 'c');
    expect(fingerprint(root, ['src'], wanted)).toBe(before);
  });
});
