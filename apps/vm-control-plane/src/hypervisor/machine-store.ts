import type { StoredMachine } from './stored-machine.js';

/** Where the simulated hypervisor keeps its machines. */
export interface MachineStore {
  /** Called once, first. */
  load(): Promise<readonly StoredMachine[]>;
  /** There is something new to keep: `machines` gives all of it at the time of writing, and writes are batched. */
  changed(): void;
  /** Resolves when all that was there at the time of the call is kept. */
  flush(): Promise<void>;
  /** Flushes. Can be called any number of times. */
  close(): Promise<void>;
}

/** Makes the store of a hypervisor. */
export type MachineStoreOpener = (machines: () => Iterable<StoredMachine>) => MachineStore;

/** Keeps nothing beyond the process: for tests. */
export const memoryMachineStore: MachineStoreOpener = () => ({
  load: async () => [],
  changed: () => undefined,
  flush: async () => undefined,
  close: async () => undefined,
});
