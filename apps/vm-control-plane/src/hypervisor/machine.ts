/** What a hypervisor says of a machine. `stopping`: on its way to `stopped`, or to being gone. */
export const machineStates = ['booting', 'running', 'stopping', 'stopped', 'failed'] as const;
export type MachineState = (typeof machineStates)[number];

/** A machine as it is asked for. */
export interface MachineSpec {
  readonly id: string;
  readonly host: string;
  readonly cpus: number;
  readonly memoryMib: number;
  readonly image: string;
  readonly mac: string;
  /** The address that the network has for the guest. */
  readonly ip: string;
  readonly power: 'running' | 'stopped';
}

/** A machine as it is. */
export interface Machine extends Omit<MachineSpec, 'power'> {
  readonly state: MachineState;
  /** The address that the guest reports; empty until it is up. */
  readonly guestIp: string;
  /** How often it was started. */
  readonly boots: number;
  /** How many attempts to boot have failed since the last one that succeeded. */
  readonly failedBoots: number;
  /** Why it failed or stopped last; empty when nothing went wrong. */
  readonly error: string;
}
