import type { EventTeller } from '@cosi-ts/app-kit';
import type { ControlPlane } from '../control-plane.js';
import { MachineChanges } from '../feed/machine-changes.js';
import { machineJson } from './machine-view.js';

/** Tells of machines in an event stream: `machines` (all of them, at the beginning), then `machine` (one that changed). */
export function machineEvents({ hypervisor, machines }: Pick<ControlPlane, 'hypervisor' | 'machines'>): EventTeller {
  return async (stream, signal, onActivity) => {
    using changes = new MachineChanges(hypervisor);
    await stream.send('machines', [...machines.values()].map(machineJson));
    for (;;) {
      for (const { id, machine } of await changes.take(signal)) {
        await stream.send('machine', { id, machine: machine === undefined ? null : machineJson(machine) });
      }
      onActivity();
    }
  };
}
