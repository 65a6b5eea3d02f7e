import type { FleetVM, VMState } from './fleet.js';
import { formatLabels } from './format.js';

/** The VMs in that state (undefined: in any) that have every word of the search somewhere. */
export function matching(vms: readonly FleetVM[], search: string, state: VMState | undefined): readonly FleetVM[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0 && state === undefined) return vms;
  return vms.filter((vm) => {
    if (state !== undefined && vm.state !== state) return false;
    if (words.length === 0) return true;
    const text = [vm.id, vm.host, vm.address, vm.mac, vm.image, vm.state, formatLabels(vm.labels)]
      .join(' ')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** A name that is free: `vm-4` where there are `vm-1` and `vm-3`. */
export function nextId(stem: string, taken: readonly { readonly id: string }[]): string {
  let highest = 0;
  for (const { id } of taken) {
    if (!id.startsWith(`${stem}-`)) continue;
    const number = Number(id.slice(stem.length + 1));
    if (Number.isSafeInteger(number)) highest = Math.max(highest, number);
  }
  return `${stem}-${highest + 1}`;
}
