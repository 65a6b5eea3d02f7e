import type { Resource } from '@cosi-ts/resource';
import type { CoreState } from '@cosi-ts/state';
import { machine } from './subject.js';

/** How many resources take turns in being updated. */
export const updatedMachines = 64;

/** Creates machines, and gives the first ones. */
export async function fill(state: CoreState, count: number): Promise<Resource[]> {
  const first: Resource[] = [];
  for (let n = 0; n < count; n++) {
    const stored = await state.create(machine(`machine-${n}`, n));
    if (n < updatedMachines) first.push(stored);
  }
  return first;
}

/** Updates the machines in turn, one after the other. What they have become takes their places. */
export async function burst(state: CoreState, machines: Resource[], count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const { metadata } = machines[n % machines.length] as Resource;
    machines[n % machines.length] = await state.update(machine(metadata.id, n).withMetadata(metadata));
  }
}

/** The same with specs that were made before, where it is not the writer that is measured. */
export async function burstOf(state: CoreState, machines: Resource[], specs: readonly Resource[], count: number) {
  for (let n = 0; n < count; n++) {
    const { metadata } = machines[n % machines.length] as Resource;
    const next = (specs[n % specs.length] as Resource).withMetadata(metadata);
    machines[n % machines.length] = await state.update(next);
  }
}
