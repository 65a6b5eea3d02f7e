/** A turn of `map`, `filter` and the like costs ten, an item that a function looks at one. */
const most = 5_000_000;

let left = most;

/** Begins to count for one evaluation. Evaluations are never within each other. */
export function countEffort(): void {
  left = most;
}

/**
 * Counts what an evaluation has done. An engine evaluates expressions on its only thread: one that went on for minutes
 * would hold up all runs, and after a restart again. Throws when it is too much.
 */
export function spend(effort: number): void {
  left -= effort;
  if (left < 0) throw new Error('this takes too long: work on less, or let a script or a function do it');
}
