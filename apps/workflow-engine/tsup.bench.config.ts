import { defineConfig } from 'tsup';

// Beside the app, and as it: the packages of the workspace stay outside, and are to be built before.
export default defineConfig({
  entry: ['src/bench/main.ts'],
  outDir: 'dist/bench',
  external: [/^@cosi-ts\//],
  format: ['esm'],
  target: 'node20',
  platform: 'node',
  sourcemap: true,
});
