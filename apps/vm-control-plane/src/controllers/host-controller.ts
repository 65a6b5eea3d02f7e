import { label, type TypedPointer } from '@cosi-ts/resource';
import { cleanup, noOutputsLeft, type QueueController } from '@cosi-ts/runtime';
import type { HostSpec } from '../gen/cosi/vms/v1/vms_pb.js';
import { Host, hostLabel, VMPlacement } from '../resources/index.js';

/** Keeps a host that is torn down until no VM is placed on it any more: the PlacementController moves them. */
export function hostController(): QueueController<TypedPointer<HostSpec>> {
  return cleanup({
    name: 'HostController',
    input: Host.kind,
    handlers: [noOutputsLeft(VMPlacement.kind, (host) => ({ labels: [label(hostLabel).is(host.metadata.id)] }))],
  });
}
