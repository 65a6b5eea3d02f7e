import type { KnipConfig } from 'knip';

const scripts = /<script\b[^>]*>(.*?)<\/script>/gs;

const config: KnipConfig = {
  ignore: ['**/gen/**'],
  // Of the system. Tests look for those that it may lack.
  ignoreBinaries: ['mkfifo', 'mount', 'umount', 'strace'],
  ignoreExportsUsedInFile: { type: true, interface: true },
  // The code of a page's component, so that uses are seen and not its imports only.
  compilers: { svelte: (text: string) => [...text.matchAll(scripts)].map(([, code]) => code).join('\n') },
  workspaces: {
    '.': {
      entry: [
        'tools/launch/{start,workflow,test,build,start-check}.mjs',
        'tools/verify/{verify,generated,types,packages,examples,dependency-rules}.mjs',
        'tools/release/pack-check.mjs',
        'tools/node-versions/run-tests.mjs',
        '.ci/*.mjs',
      ],
      project: ['tools/{build,launch,verify,release,node-versions}/**/*.{mjs,ts}', '.ci/*.mjs', '*.config.ts'],
      // Run by the tools above, by their names.
      ignoreDependencies: ['@arethetypeswrong/cli', 'publint', 'turbo'],
    },
    'packages/*': { project: ['src/**/*.ts'] },
    'packages/conformance': { entry: ['src/index.ts', 'src/runtime.ts'], project: ['src/**/*.ts'] },
    'packages/transport': { entry: ['src/index.ts', 'src/web.ts'], project: ['src/**/*.ts'] },
    'apps/*': { project: ['src/**/*.{ts,svelte}'] },
    'tools/*': { entry: ['*.mjs', 'src/*-reporter.ts'], project: ['src/**/*.ts'] },
  },
};

export default config;
