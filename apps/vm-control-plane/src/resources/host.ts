import { checkedSpec, checkInteger } from '@cosi-ts/app-kit';
import { messageSpec } from '@cosi-ts/proto';
import { type DeepReadonly, defineResource } from '@cosi-ts/resource';
import { type HostSpec, HostSpecSchema } from '../gen/cosi/vms/v1/vms_pb.js';
import { vmsNamespace } from './namespace.js';

const hostLimits = Object.freeze({ maxCpus: 65_536, minMemoryMib: 64, maxMemoryMib: 1_073_741_824 });

/** A hypervisor node. Host selectors of VMConfigs match its labels. */
export const Host = defineResource({
  type: 'Hosts.vms.cosi.dev',
  namespace: vmsNamespace,
  spec: checkedSpec(messageSpec(HostSpecSchema), checkHost),
  printColumns: [
    { name: 'CPUs', jsonPath: '{.cpus}' },
    { name: 'MiB', jsonPath: '{.memoryMiB}' },
    { name: 'Cordoned', jsonPath: '{.cordoned}' },
  ],
});

/** Throws a `FieldError`. */
function checkHost(spec: DeepReadonly<HostSpec>): void {
  checkInteger('cpus', spec.cpus, 1, hostLimits.maxCpus);
  checkInteger('memoryMiB', spec.memoryMib, hostLimits.minMemoryMib, hostLimits.maxMemoryMib);
}
