import type { TypedResource } from '@cosi-ts/resource';
import type { NetworkConfigSpec, VMConfigSpec, VMPlacementSpec } from '../gen/cosi/vms/v1/vms_pb.js';
import { problemOf } from '../resources/index.js';
import { rejectionText } from './rejection-text.js';

/** Why a VM cannot have a machine as it wants it. */
export interface Obstacle {
  readonly reason: string;
  /** `wait`: for something to come. `withdraw`: take away the machine that there is. `refuse`: nobody could make it. */
  readonly verdict: 'wait' | 'withdraw' | 'refuse';
}

/**
 * A machine is withdrawn when what it stands on is being taken away: its network, or its place. While these are still
 * to come, one that is there already runs on.
 */
export function whyNoMachine(
  vm: TypedResource<VMConfigSpec>,
  network: TypedResource<NetworkConfigSpec> | undefined,
  placement: TypedResource<VMPlacementSpec> | undefined,
): Obstacle | undefined {
  const problem = problemOf(vm.spec);
  if (network?.metadata.phase === 'tearingDown') return withdraw('its network is being taken down');
  if (placement?.metadata.phase === 'tearingDown') return withdraw('its place is being given up');
  if (problem !== undefined) return { reason: `cannot be made: ${problem}`, verdict: 'refuse' };
  if (placement === undefined) return wait('waits for a host');
  if (placement.spec.host === '') return wait(rejectionText(placement.spec.rejections));
  if (network === undefined) return wait('waits for an address');
  return network.spec.ip === '' ? wait(network.spec.reason) : undefined;
}

const withdraw = (reason: string): Obstacle => ({ reason, verdict: 'withdraw' });
const wait = (reason: string): Obstacle => ({ reason, verdict: 'wait' });
