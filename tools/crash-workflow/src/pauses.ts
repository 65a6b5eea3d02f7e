import { heldLine, releasedLine } from './effects.js';
import type { Snapshot } from './snapshot.js';

/** Which run is paused for certain: the engine has said so, and nobody has asked for it to go on since. */
export class Pauses {
  /** Runs that the engine has told to be not paused, since somebody asked for them to go on the last time. */
  readonly #seenRunning = new Set<string>();
  readonly #held = new Set<string>();

  /**
   * Notes what the engine says. What it has recorded of a run when it says that it is paused may still begin.
   *
   * @param isPaused whether people want the run of that id to be paused
   * @returns lines for the file of effects
   */
  seen({ statuses, executions }: Snapshot, isPaused: (run: string) => boolean): string {
    let lines = '';
    for (const { run, state } of statuses) {
      if (state !== 'paused') {
        this.#seenRunning.add(run);
        continue;
      }
      if (this.#held.has(run) || !this.#seenRunning.has(run) || !isPaused(rootOf(run))) continue;
      this.#held.add(run);
      const recorded = executions.filter((execution) => execution.run === run);
      lines += heldLine(run, new Map(recorded.map(({ key, attempt }) => [key, attempt])));
    }
    return lines;
  }

  /** To be told before somebody asks for a run to go on, with those that it began. Gives a line for the file of effects. */
  released(root: string): string {
    for (const known of [this.#seenRunning, this.#held]) {
      for (const run of [...known]) if (rootOf(run) === root) known.delete(run);
    }
    return releasedLine(root);
  }
}

/** The run that people have started. */
function rootOf(run: string): string {
  return run.split('.', 1)[0] as string;
}
