import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// The page is built into static files beside the server's code, which serves them. Nothing on it comes from elsewhere.
export default defineConfig({
  root: `${import.meta.dirname}/src/page`,
  base: './',
  plugins: [svelte()],
  logLevel: 'warn',
  build: {
    outDir: `${import.meta.dirname}/dist/page`,
    emptyOutDir: true,
    assetsInlineLimit: 0,
    // What draws graphs is WebAssembly of that size, in a file that is loaded when one is drawn first.
    chunkSizeWarningLimit: 1500,
    modulePreload: { polyfill: false },
  },
});
