import type { TypedResource } from '@cosi-ts/resource';
import type { State } from '@cosi-ts/state';
import type { NetworkConfigSpec, VMConfigSpec, VMPlacementSpec, VMStatusSpec } from '../gen/cosi/vms/v1/vms_pb.js';
import { NetworkConfig, powerOf, VMConfig, VMPlacement, type VMState, VMStatus } from '../resources/index.js';

type FindState = Pick<State, 'get' | 'list'>;

/** A VM as the API tells of it: what is wanted and what is, side by side. */
export interface VMView {
  readonly id: string;
  readonly phase: string;
  readonly state: VMState;
  readonly message: string;
  readonly host: string;
  readonly ip: string;
  readonly mac: string;
  readonly cpus: number;
  readonly memoryMiB: number;
  readonly image: string;
  readonly power: string;
  readonly hostSelector: Readonly<Record<string, string>>;
  readonly spreadGroup: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly boots: number;
  readonly lastError: string;
  readonly created: string;
}

interface Parts {
  readonly config: TypedResource<VMConfigSpec>;
  readonly status: TypedResource<VMStatusSpec> | undefined;
  readonly placement: TypedResource<VMPlacementSpec> | undefined;
  readonly network: TypedResource<NetworkConfigSpec> | undefined;
}

/** All VMs, in the order of ids. */
export async function listVMs(state: FindState, signal: AbortSignal): Promise<readonly VMView[]> {
  const [configs, statuses, placements, networks] = await Promise.all([
    state.list(VMConfig.kind, { signal }),
    state.list(VMStatus.kind, { signal }),
    state.list(VMPlacement.kind, { signal }),
    state.list(NetworkConfig.kind, { signal }),
  ]);
  const status = byId(statuses);
  const placement = byId(placements);
  const network = byId(networks);
  return configs.map((config) => {
    const { id } = config.metadata;
    return viewOf({ config, status: status.get(id), placement: placement.get(id), network: network.get(id) });
  });
}

export function viewOf({ config, status, placement, network }: Parts): VMView {
  const { metadata, spec } = config;
  return {
    id: metadata.id,
    phase: metadata.phase,
    state: (status?.spec.state ?? 'pending') as VMState,
    message: status?.spec.message ?? '',
    host: placement?.spec.host ?? '',
    ip: status?.spec.ip ?? '',
    mac: network?.spec.mac ?? '',
    cpus: spec.cpus,
    memoryMiB: spec.memoryMib,
    image: spec.image,
    power: powerOf(spec),
    hostSelector: spec.hostSelector,
    spreadGroup: spec.spreadGroup,
    labels: metadata.labels,
    boots: status?.spec.boots ?? 0,
    lastError: status?.spec.lastError ?? '',
    created: metadata.created.toString(),
  };
}

function byId<S>(resources: readonly TypedResource<S>[]): ReadonlyMap<string, TypedResource<S>> {
  return new Map(resources.map((resource) => [resource.metadata.id, resource]));
}
