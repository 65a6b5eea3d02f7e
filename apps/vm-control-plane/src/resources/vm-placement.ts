import { messageSpec } from '@cosi-ts/proto';
import { defineResource } from '@cosi-ts/resource';
import { VMPlacementSpecSchema } from '../gen/cosi/vms/v1/vms_pb.js';
import { vmsNamespace } from './namespace.js';

/** Where a virtual machine runs. Has the id of its VMConfig, and the label {@link hostLabel} when it has a host. */
export const VMPlacement = defineResource({
  type: 'VMPlacements.vms.cosi.dev',
  namespace: vmsNamespace,
  spec: messageSpec(VMPlacementSpecSchema),
  printColumns: [
    { name: 'Host', jsonPath: '{.host}' },
    { name: 'CPUs', jsonPath: '{.cpus}' },
    { name: 'MiB', jsonPath: '{.memoryMiB}' },
  ],
});

/** The label of a placement that names its host, so that the machines of a host can be asked for. */
export const hostLabel = 'host';
