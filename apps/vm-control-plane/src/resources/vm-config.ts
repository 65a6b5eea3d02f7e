import { checkedSpec, checkInteger, FieldError } from '@cosi-ts/app-kit';
import { messageSpec } from '@cosi-ts/proto';
import { type DeepReadonly, defineResource } from '@cosi-ts/resource';
import { type VMConfigSpec, VMConfigSpecSchema } from '../gen/cosi/vms/v1/vms_pb.js';
import { vmsNamespace } from './namespace.js';

const vmLimits = Object.freeze({ maxCpus: 1024, minMemoryMib: 64, maxMemoryMib: 16_777_216 });

const powerStates = ['running', 'stopped'] as const;
type Power = (typeof powerStates)[number];

/** A virtual machine as it is wanted. */
export const VMConfig = defineResource({
  type: 'VMConfigs.vms.cosi.dev',
  namespace: vmsNamespace,
  spec: checkedSpec(messageSpec(VMConfigSpecSchema), checkVMConfig),
  aliases: ['vm', 'vms'],
  printColumns: [
    { name: 'CPUs', jsonPath: '{.cpus}' },
    { name: 'MiB', jsonPath: '{.memoryMiB}' },
    { name: 'Image', jsonPath: '{.image}' },
    { name: 'Power', jsonPath: '{.power}' },
  ],
});

/** Throws a {@link FieldError} for a machine that nobody could run. */
function checkVMConfig(spec: DeepReadonly<VMConfigSpec>): void {
  checkInteger('cpus', spec.cpus, 1, vmLimits.maxCpus);
  checkInteger('memoryMiB', spec.memoryMib, vmLimits.minMemoryMib, vmLimits.maxMemoryMib);
  if (spec.image === '') throw new FieldError('image', 'must name the disk image to boot from');
  if (spec.power !== '' && !powerStates.includes(spec.power as Power)) {
    throw new FieldError('power', `must be ${powerStates.join(' or ')}, not ${JSON.stringify(spec.power)}`);
  }
}

/** Empty counts as running: a machine that nobody says anything about is there to be used. */
export function powerOf(spec: Pick<VMConfigSpec, 'power'>): Power {
  return spec.power === 'stopped' ? 'stopped' : 'running';
}

/** Why nobody could run the machine. Other processes can store what would be refused here. */
export function problemOf(spec: DeepReadonly<VMConfigSpec>): string | undefined {
  try {
    checkVMConfig(spec);
    return undefined;
  } catch (error) {
    if (error instanceof FieldError) return error.message;
    throw error;
  }
}
