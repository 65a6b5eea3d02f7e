import { messageSpec } from '@cosi-ts/proto';
import { defineResource } from '@cosi-ts/resource';
import { VMStatusSpecSchema } from '../gen/cosi/vms/v1/vms_pb.js';
import { vmsNamespace } from './namespace.js';

/**
 * - `pending`: waits for a host or an address
 * - `booting`, `running`, `stopping`, `stopped`: as the hypervisor says
 * - `failed`: did not boot, or the hypervisor refused; it is tried again
 * - `releasing`: the machine is gone, its network and place are being given back
 */
export type VMState = 'pending' | 'booting' | 'running' | 'stopping' | 'stopped' | 'failed' | 'releasing';

/** A virtual machine as it is. Has the id of its VMConfig. */
export const VMStatus = defineResource({
  type: 'VMStatuses.vms.cosi.dev',
  namespace: vmsNamespace,
  spec: messageSpec(VMStatusSpecSchema),
  printColumns: [
    { name: 'State', jsonPath: '{.state}' },
    { name: 'Host', jsonPath: '{.host}' },
    { name: 'IP', jsonPath: '{.ip}' },
    { name: 'Message', jsonPath: '{.message}' },
  ],
});
