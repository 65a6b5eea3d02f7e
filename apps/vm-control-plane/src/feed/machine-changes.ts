import { WakeUp } from '@cosi-ts/app-kit';
import type { Hypervisor, MachineEvent } from '../hypervisor/hypervisor.js';

/** The changes of machines for a consumer that may be slow: of each machine only the latest is kept until it is taken. */
export class MachineChanges implements Disposable {
  readonly #changed = new Map<string, MachineEvent>();
  readonly #arrival = new WakeUp();
  readonly #unsubscribe: () => void;

  constructor(hypervisor: Pick<Hypervisor, 'subscribe'>) {
    this.#unsubscribe = hypervisor.subscribe((event) => {
      // In the order of the latest changes.
      this.#changed.delete(event.id);
      this.#changed.set(event.id, event);
      this.#arrival.wake();
    });
  }

  /** What changed since the last call, at least one. Rejects with the signal's reason. */
  async take(signal: AbortSignal): Promise<readonly MachineEvent[]> {
    while (this.#changed.size === 0) await this.#arrival.wait(signal);
    const events = [...this.#changed.values()];
    this.#changed.clear();
    return events;
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
  }
}
