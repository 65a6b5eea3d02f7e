import { defineConfig } from 'tsup';

// The program, and what it measures in processes of their own.
export default defineConfig({
  entry: [
    'src/bench.ts',
    'src/load-process.ts',
    'src/served-process.ts',
    'src/fan-out-process.ts',
    'src/queue-process.ts',
  ],
  format: ['esm'],
  target: 'node20',
  platform: 'node',
  sourcemap: true,
  clean: true,
});
