// What tests tell the table about themselves.
declare module 'vitest' {
  interface TaskMeta {
    /** What the state under test declares absent. */
    absent?: readonly string[];
    /** The titles of the tests that a broken state fails: those of its rule, and the others. */
    caught?: { readonly own: readonly string[]; readonly others: readonly string[] };
  }
}

export {};
