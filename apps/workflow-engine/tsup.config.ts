import { defineConfig } from 'tsup';

// ES modules that Node runs: the app, what plugins import (with types), and an engine that is started to be killed. The
// packages of the workspace and the dependencies stay outside of them.
export default defineConfig({
  entry: { main: 'src/main.ts', index: 'src/index.ts', 'crash/engine': 'src/crash/engine.ts' },
  // tsup sets `baseUrl`, which TypeScript 6 deprecates.
  dts: { entry: { index: 'src/index.ts' }, compilerOptions: { ignoreDeprecations: '6.0' } },
  format: ['esm'],
  target: 'node20',
  platform: 'node',
  sourcemap: true,
  clean: true,
});
