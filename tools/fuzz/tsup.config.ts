import { defineConfig } from 'tsup';

// The program, the server that it attacks, and the client that must not notice.
export default defineConfig({
  entry: ['src/fuzz.ts', 'src/server.ts', 'src/witness.ts'],
  format: ['esm'],
  target: 'node20',
  platform: 'node',
  sourcemap: true,
  clean: true,
});
