import { defineConfig } from 'tsup';

// The program, and the writer that it starts and kills.
export default defineConfig({
  entry: ['src/crash.ts', 'src/writer.ts'],
  format: ['esm'],
  target: 'node20',
  platform: 'node',
  sourcemap: true,
  clean: true,
});
