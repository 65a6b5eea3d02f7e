import { defineConfig } from 'vitest/config';

// Tests run on the source of every package: no build is needed before them.
export default defineConfig({
  resolve: { alias: [{ find: /^@cosi-ts\/([a-z-]+)$/, replacement: `${import.meta.dirname}/packages/$1/src/index.ts` }] },
  test: {
    include: ['{packages,apps,tools}/*/src/**/*.test.ts'],
  },
});
