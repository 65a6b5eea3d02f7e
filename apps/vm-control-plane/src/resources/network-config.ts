import { messageSpec } from '@cosi-ts/proto';
import { defineResource } from '@cosi-ts/resource';
import { NetworkConfigSpecSchema } from '../gen/cosi/vms/v1/vms_pb.js';
import { vmsNamespace } from './namespace.js';

/** The network of a virtual machine. Has the id of its VMConfig. */
export const NetworkConfig = defineResource({
  type: 'NetworkConfigs.vms.cosi.dev',
  namespace: vmsNamespace,
  spec: messageSpec(NetworkConfigSpecSchema),
  printColumns: [
    { name: 'IP', jsonPath: '{.ip}' },
    { name: 'MAC', jsonPath: '{.mac}' },
    { name: 'Bridge', jsonPath: '{.bridge}' },
  ],
});
