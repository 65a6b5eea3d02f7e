import type { CallOptions } from '@cosi-ts/state';
import type { Machine, MachineSpec } from './machine.js';

/** Something happened to a machine: it is now so, or it is gone. */
export interface MachineEvent {
  readonly id: string;
  readonly machine: Machine | undefined;
}

export type MachineCallOptions = Pick<CallOptions, 'signal'>;

/**
 * What runs machines. Nothing here waits for a machine to boot or to stop: a call starts what there is to do and tells
 * how the machine is now, and an event tells of every change, whoever caused it. All calls can be repeated.
 */
export interface Hypervisor {
  get(id: string, options?: MachineCallOptions): Promise<Machine | undefined>;

  /** In the order of ids. */
  list(options?: MachineCallOptions): Promise<readonly Machine[]>;

  /**
   * Makes what it can of the machine that is asked for: defines it, starts or stops it, changes it, starting it anew
   * when that is needed. A failed machine is tried again. A machine that is being removed is left to that.
   */
  ensure(spec: MachineSpec, options?: MachineCallOptions): Promise<Machine>;

  /** Stops and removes the machine. Undefined once it is gone, for good; until then how far it is. */
  remove(id: string, options?: MachineCallOptions): Promise<Machine | undefined>;

  /** Pulls the plug. Undefined when there is no such machine; nothing happens to one that is not up. */
  kill(id: string, options?: MachineCallOptions): Promise<Machine | undefined>;

  /** Calls back after every change, until the function that it returns is called. The listener must not throw. */
  subscribe(listener: (event: MachineEvent) => void): () => void;

  /** Resolves when nothing runs here any more and all is kept. The machines themselves stay. */
  close(): Promise<void>;
}
