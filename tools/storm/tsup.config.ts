import { defineConfig } from 'tsup';

// The program, and the server that it kills.
export default defineConfig({
  entry: ['src/storm.ts', 'src/server.ts'],
  format: ['esm'],
  target: 'node20',
  platform: 'node',
  sourcemap: true,
  clean: true,
});
