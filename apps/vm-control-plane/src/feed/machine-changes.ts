import type { Hypervisor, MachineEvent } from '../hypervisor/hypervisor.js';

/**
 * The changes of machines for a consumer that may be slow: of each machine only the latest is kept until it is taken.
 */
export class MachineChanges implements Disposable {
  readonly #changed = new Map<string, MachineEvent>();
  readonly #unsubscribe: () => void;

  /** @param onChange called when there is something to take */
  constructor(hypervisor: Hypervisor, onChange: () => void) {
    this.#unsubscribe = hypervisor.subscribe((event) => {
      // In the order of the latest changes.
      this.#changed.delete(event.id);
      this.#changed.set(event.id, event);
      onChange();
    });
  }

  /** What changed since the last call. */
  take(): readonly MachineEvent[] {
    const events = [...this.#changed.values()];
    this.#changed.clear();
    return events;
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
  }
}
