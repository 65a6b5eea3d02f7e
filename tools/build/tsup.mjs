// Every published package is built the same way: ESM with CJS beside it, types for both, source maps.
import { defineConfig } from 'tsup';

/** @param {string[]} entry the sources of the entry points that package.json exports */
export const library = (entry) =>
  defineConfig({
    entry,
    format: ['esm', 'cjs'],
    target: 'node20',
    platform: 'neutral',
    sourcemap: true,
    clean: true,
    splitting: false,
    // tsup sets `baseUrl`, which TypeScript 6 deprecates.
    dts: { compilerOptions: { ignoreDeprecations: '6.0' } },
  });
