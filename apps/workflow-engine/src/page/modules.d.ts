// What the page imports that is no TypeScript: Vite's own, and components.
/// <reference types="vite/client" />
/// <reference types="svelte" />
