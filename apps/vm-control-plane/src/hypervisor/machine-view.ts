import type { Hypervisor, MachineCallOptions, MachineEvent } from './hypervisor.js';
import type { Machine } from './machine.js';

/** All machines of a hypervisor as its events tell of them, to be read without asking it. */
export class MachineView implements Disposable {
  readonly #machines = new Map<string, Machine>();
  readonly #unsubscribe: () => void;

  private constructor(hypervisor: Hypervisor) {
    this.#unsubscribe = hypervisor.subscribe((event) => this.#take(event));
  }

  static async open(hypervisor: Hypervisor, options?: MachineCallOptions): Promise<MachineView> {
    const view = new MachineView(hypervisor);
    // What an event says while the list is made is newer than the list.
    const told = new Set<string>();
    const stop = hypervisor.subscribe(({ id }) => told.add(id));
    try {
      for (const machine of await hypervisor.list(options)) {
        if (!told.has(machine.id)) view.#machines.set(machine.id, machine);
      }
    } catch (error) {
      view[Symbol.dispose]();
      throw error;
    } finally {
      stop();
    }
    return view;
  }

  #take({ id, machine }: MachineEvent): void {
    if (machine === undefined) this.#machines.delete(id);
    else this.#machines.set(id, machine);
  }

  get size(): number {
    return this.#machines.size;
  }

  get(id: string): Machine | undefined {
    return this.#machines.get(id);
  }

  values(): IterableIterator<Machine> {
    return this.#machines.values();
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
  }
}
