import type { DataProfile } from '@cosi-ts/app-kit';
import { vmRegistry } from './resources/registry.js';

/** The machines of the simulated hypervisor, in a data folder unless they are elsewhere. */
export const machinesFile = 'machines.json';

/** The data of this app. */
export const vmData: DataProfile = {
  app: 'VM control plane',
  passphraseVariable: 'VM_CONTROL_PLANE_PASSPHRASE',
  types: vmRegistry,
  files: [machinesFile],
};
