import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/crash-workflow.ts'],
  format: ['esm'],
  target: 'node20',
  platform: 'node',
  sourcemap: true,
  clean: true,
});
