import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { toolVariables, unrunnableTests } from './tools/launch/optional-tools.mjs';

// Tests run on the source of every package: no build is needed before them.
const alias = [
  {
    find: '@cosi-ts/app-kit/graph-drawing',
    replacement: `${import.meta.dirname}/apps/kit/src/page/graph-drawing.ts`,
  },
  { find: '@cosi-ts/app-kit/testing', replacement: `${import.meta.dirname}/apps/kit/src/testing/index.ts` },
  { find: '@cosi-ts/app-kit', replacement: `${import.meta.dirname}/apps/kit/src/index.ts` },
  { find: /^@cosi-ts\/(faults|harness)$/, replacement: `${import.meta.dirname}/tools/$1/src/index.ts` },
  { find: /^@cosi-ts\/([a-z-]+)$/, replacement: `${import.meta.dirname}/packages/$1/src/index.ts` },
  { find: /^@cosi-ts\/([a-z-]+)\/([a-z-]+)$/, replacement: `${import.meta.dirname}/packages/$1/src/$2.ts` },
];

/** One project for each top-level folder, so that `--project packages` runs what a published package rests on. */
const project = (name: string, include: string[]) => ({
  resolve: { alias },
  test: {
    name,
    include,
    // A test that hangs shows after any time. One that is only slow, because the machine is busy, is not to fail.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    exclude: ['**/node_modules/**', '**/dist/**', ...unrunnableTests()],
    env: toolVariables(),
  },
});

export default defineConfig({
  test: {
    // One file after the other would leave the second of two cores idle: that is what the default comes to there.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      project('packages', ['packages/*/src/**/*.test.ts']),
      project('apps', ['apps/*/src/**/*.test.ts']),
      project('tools', ['tools/*/**/*.test.ts']),
    ],
  },
});
