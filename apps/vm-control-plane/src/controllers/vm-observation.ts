import type { VMStatusSpec } from '../gen/cosi/vms/v1/vms_pb.js';
import type { Machine, MachineSpec } from '../hypervisor/machine.js';
import type { VMState } from '../resources/index.js';
import { bootRetryDelayMs } from './boot-retries.js';
import type { Rejection } from './placement-choice.js';
import { rejectionText } from './rejection-text.js';

/** What there is to say about a VM. */
export interface Observation {
  readonly state: VMState;
  /** Why it is not as it is wanted; empty when it is. */
  readonly message: string;
  /** The machine as it is, null when there is none. Absent: nothing new is known of it. */
  readonly machine?: Machine | null;
  /** What went wrong, if something did. */
  readonly error?: string;
}

/** What there is to say about a VM whose machine the hypervisor was asked for. */
export function observe(machine: Machine, spec: MachineSpec, rejections: readonly Rejection[]): Observation {
  const { state, error } = machine;
  return { state, message: messageOf(machine, spec, rejections), machine, error };
}

function messageOf(machine: Machine, spec: MachineSpec, rejections: readonly Rejection[]): string {
  if (machine.state === 'failed') {
    const delay = bootRetryDelayMs(machine.failedBoots) / 1000;
    return `${machine.error}; tried ${machine.failedBoots} times, again ${delay} s after the last time`;
  }
  // It has a place, and wants another one.
  if (rejections.length > 0) {
    return `stays on ${spec.host} with ${spec.cpus} CPUs and ${spec.memoryMib} MiB for the present: ${rejectionText(rejections)}`;
  }
  return '';
}

/** Changes the draft of a status only where the observation says something else. */
export function writeObservation(spec: VMStatusSpec, { state, message, machine, error = '' }: Observation): void {
  spec.state = state;
  spec.message = message;
  if (error !== '') spec.lastError = error;
  if (machine === undefined) return;
  spec.host = machine?.host ?? '';
  spec.ip = machine?.guestIp ?? '';
  spec.cpus = machine?.cpus ?? 0;
  spec.memoryMib = machine?.memoryMib ?? 0;
  if (machine === null) return;
  spec.boots = machine.boots;
  spec.failedBoots = machine.failedBoots;
}
