import type { Machine } from '../hypervisor/machine.js';

/** A machine as the API tells of it. */
export interface MachineJson {
  readonly id: string;
  readonly state: string;
  readonly host: string;
  readonly cpus: number;
  readonly memoryMiB: number;
  readonly image: string;
  readonly mac: string;
  readonly ip: string;
  readonly boots: number;
  readonly error: string;
}

export function machineJson(machine: Machine): MachineJson {
  const { id, state, host, cpus, memoryMib, image, mac, guestIp, boots, error } = machine;
  return { id, state, host, cpus, memoryMiB: memoryMib, image, mac, ip: guestIp, boots, error };
}
