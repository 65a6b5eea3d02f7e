import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './tools/launch/longest-first.mjs';
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

/** Tests that look at what their whole process holds open, and to which nothing of other files may happen. */
const alone = '**/*.alone.test.ts';

const project = (name: string, include: string, others: object) => ({
  resolve: { alias },
  test: {
    name,
    include: [include],
    // A test that hangs shows after any time. One that is only slow, because the machine is busy, is not to fail.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    exclude: ['**/node_modules/**', '**/dist/**', ...unrunnableTests()],
    env: toolVariables(),
    ...others,
  },
});

/**
 * Two projects for each top-level folder, so that `--project packages --project packages-alone` runs what a published
 * package rests on. What a file imports stays for the files after it: to load it anew for each of them takes as long as
 * all that they test. So a test undoes what it does to its process, and what is replaced for a test is put back here.
 */
const projects = (folder: string) => {
  const shared = project(folder, `${folder}/*/**/*.test.ts`, {
    isolate: false,
    restoreMocks: true,
    unstubGlobals: true,
    unstubEnvs: true,
  });
  shared.test.exclude.push(alone);
  return [shared, project(`${folder}-alone`, `${folder}/*/${alone}`, { isolate: true })];
};

export default defineConfig({
  test: {
    // One file after the other would leave the second of two cores idle: that is what the default comes to there.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    projects: ['packages', 'apps', 'tools'].flatMap(projects),
  },
});
