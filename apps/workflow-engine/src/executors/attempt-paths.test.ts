import { sep } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AttemptPaths, runFolderName } from './attempt-paths.js';

const paths = new AttemptPaths('/data');
const of = { run: 'nightly-2026.build', step: 'build', index: -1, attempt: 2 };

describe('where executors keep files', () => {
  it('is what is documented', () => {
    expect(paths.attempt(of)).toBe('/data/attempts/nightly-2026.build/build/2');
    expect(paths.log(of)).toBe('/data/logs/nightly-2026.build/build/2.log');
    expect(paths.log({ ...of, index: 10 })).toBe('/data/logs/nightly-2026.build/build.10/2.log');
    expect(paths.artifacts(of)).toBe('/data/artifacts/nightly-2026.build/build');
    expect(paths.artifacts({ ...of, index: 0 })).toBe('/data/artifacts/nightly-2026.build/build/0');
  });

  it.each([
    ['..', '__~'],
    ['a/b', 'a_b~'],
    ['', '~'],
    ['Run', 'run~'],
    ['.hidden', '_hidden~'],
    ['x'.repeat(300), `${'x'.repeat(60)}~`],
    ['ě', '_~'],
    ['a~b', 'a_b~'],
  ])('has a name of its own for %j', (run, like) => {
    expect(runFolderName(run)).toMatch(new RegExp(`^${like}[0-9a-f]{16}$`));
  });

  it('is another place for each attempt, inside of the folder, on every file system', () => {
    const name = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'A', '.', '/', '~', '_', '-', '0', ' '), minLength: 1, maxLength: 6 }),
      fc.string({ minLength: 1, unit: 'binary', maxLength: 300 }),
    );
    const attempt = fc.record({
      run: name,
      // Two steps whose names differ in case only cannot be in one definition.
      step: name.map((step) => step.toLowerCase()),
      index: fc.integer({ min: -1, max: 3 }),
      attempt: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(attempt, attempt, (one, other) => {
        const path = paths.attempt(one);
        const parts = path.slice('/data/attempts/'.length).split(sep);
        expect(parts).toHaveLength(3);
        for (const part of parts) {
          expect(part).toMatch(/^[^.].{0,120}$/s);
          expect(part).not.toContain('\0');
        }
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        expect(path.toLowerCase() === paths.attempt(other).toLowerCase()).toBe(isSame);
      }),
      { numRuns: 1000 },
    );
  });
});
