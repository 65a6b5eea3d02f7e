import { type Kind, type Pointer, pointerKey } from '@cosi-ts/resource';
import type { ControllerState } from './controller-state.js';
import { inTurns } from './in-turns.js';

/** Knows which outputs one run of a controller has written since it was told to note them. */
export class OutputTracker {
  #written: Set<string> | undefined;

  /** Throws a `TypeError` when it notes already. */
  start(): void {
    if (this.#written !== undefined) throw new TypeError('outputs are being tracked already');
    this.#written = new Set();
  }

  note(pointer: Pointer): void {
    this.#written?.add(pointerKey(plain(pointer)));
  }

  /**
   * Tears down what the owner has of these kinds and has not written, and destroys what nothing holds. Ends the tracking
   * in any case. Throws a `TypeError` when nothing was tracked.
   *
   * @returns whether all of it is gone
   */
  async cleanup(kinds: readonly Kind[], state: ControllerState, signal: AbortSignal): Promise<boolean> {
    const written = this.#written;
    if (written === undefined) throw new TypeError('no outputs were tracked: startTrackingOutputs comes first');
    this.#written = undefined;
    let allGone = true;
    for (const kind of kinds) {
      await inTurns(await state.list(kind), signal, async ({ metadata }) => {
        if (metadata.owner !== state.owner || written.has(pointerKey(plain(metadata)))) return;
        if (!(await state.destroyIfReady(metadata))) allGone = false;
      });
    }
    return allGone;
  }
}

function plain({ namespace, type, id }: Pointer): Pointer {
  return { namespace, type, id };
}
