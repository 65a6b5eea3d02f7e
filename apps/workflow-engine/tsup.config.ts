import { defineConfig } from 'tsup';

// ES modules that Node runs: the app, and an engine that is started to be killed. The packages of the workspace and the
// dependencies stay outside of them.
export default defineConfig({
  entry: { main: 'src/main.ts', 'crash/engine': 'src/crash/engine.ts' },
  format: ['esm'],
  target: 'node20',
  platform: 'node',
  sourcemap: true,
  clean: true,
});
