import { heldLine, releasedLine } from './effects.js';
import type { Snapshot, StatusView } from './snapshot.js';

/** Which run is paused for certain: the engine has said so, and nobody has asked for it to go on since. */
export class Pauses {
  /** Runs that the engine has told to be not paused, since somebody asked for them to go on the last time. */
  readonly #seenRunning = new Set<string>();
  readonly #held = new Set<string>();

  /** Notes what the engine says, and tells whether a run is paused for certain of which that was not noted. */
  hasNew(statuses: readonly StatusView[], isPaused: (run: string) => boolean): boolean {
    for (const { run, state } of statuses) if (state !== 'paused') this.#seenRunning.add(run);
    return statuses.some((status) => this.#isNew(status, isPaused));
  }

  /**
   * Notes what the engine says. What it has recorded of a run when it says that it is paused may still begin.
   *
   * @param isPaused whether people want the run of that id to be paused
   * @returns lines for the file of effects
   */
  seen({ statuses, executions }: Snapshot, isPaused: (run: string) => boolean): string {
    let lines = '';
    if (!this.hasNew(statuses, isPaused)) return lines;
    for (const { run } of statuses.filter((status) => this.#isNew(status, isPaused))) {
      this.#held.add(run);
      const recorded = executions.filter((execution) => execution.run === run);
      lines += heldLine(run, new Map(recorded.map(({ key, attempt }) => [key, attempt])));
    }
    return lines;
  }

  #isNew({ run, state }: StatusView, isPaused: (run: string) => boolean): boolean {
    return state === 'paused' && !this.#held.has(run) && this.#seenRunning.has(run) && isPaused(rootOf(run));
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
