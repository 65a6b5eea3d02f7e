import { defineConfig } from 'tsup';

// One ES module that Node runs. The packages of the workspace and the dependencies stay outside of it; its types are
// those of the sources.
export default defineConfig({
  entry: ['src/index.ts'],
  format: ['esm'],
  target: 'node20',
  platform: 'node',
  sourcemap: true,
  clean: true,
});
