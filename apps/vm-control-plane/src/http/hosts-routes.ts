import { type ApiRequest, idField, labelsField, type Route, readJson, route, specFields } from '@cosi-ts/app-kit';
import type { JsonValue, TypedResource } from '@cosi-ts/resource';
import type { State } from '@cosi-ts/state';
import type { HostSpec, VMPlacementSpec } from '../gen/cosi/vms/v1/vms_pb.js';
import { Host, VMPlacement } from '../resources/index.js';

/** `/hosts`: the nodes that VMs are placed on. */
export function hostsRoutes(state: State): readonly Route[] {
  const placements = (signal: AbortSignal) => state.list(VMPlacement.kind, { signal });

  const list = async ({ signal }: ApiRequest) => {
    const placed = await placements(signal);
    const hosts = await state.list(Host.kind, { signal });
    return { status: 200, body: { hosts: hosts.map((host) => viewOf(host, placed)) } };
  };

  const get = async ({ params, signal }: ApiRequest) => {
    const host = await state.get(Host.at(params.id as string), { signal });
    return { status: 200, body: viewOf(host, await placements(signal)) };
  };

  const create = async ({ raw, signal }: ApiRequest) => {
    const fields = await readJson(raw);
    const id = idField(fields);
    const labels = labelsField(fields) ?? {};
    const host = await state.create(Host.new(id, Host.codec.fromJson(specFields(fields)), { labels }), { signal });
    return { status: 201, body: viewOf(host, []), headers: { location: `/hosts/${encodeURIComponent(id)}` } };
  };

  const change = async ({ raw, params, signal }: ApiRequest) => {
    const fields = await readJson(raw);
    const labels = labelsField(fields);
    const host = await state.updateWithConflicts(
      Host.at(params.id as string),
      (draft) => {
        const present = Host.codec.toJson(draft.spec) as Record<string, JsonValue>;
        draft.spec = Host.codec.draft(Host.codec.fromJson({ ...present, ...specFields(fields) }));
        if (labels !== undefined) draft.metadata.labels = labels;
      },
      { signal },
    );
    return { status: 200, body: viewOf(host, await placements(signal)) };
  };

  const remove = async ({ params, signal }: ApiRequest) => {
    const id = params.id as string;
    const host = await state.get(Host.at(id), { signal });
    await state.teardown(Host.at(id), { signal });
    return { status: 202, body: { ...viewOf(host, await placements(signal)), phase: 'tearingDown' } };
  };

  return [
    route('GET', '/hosts', list),
    route('POST', '/hosts', create),
    route('GET', '/hosts/:id', get),
    route('PATCH', '/hosts/:id', change),
    route('DELETE', '/hosts/:id', remove),
  ];
}

/** A host, with what is reserved on it. */
function viewOf({ metadata, spec }: TypedResource<HostSpec>, placements: readonly TypedResource<VMPlacementSpec>[]) {
  const onIt = placements.filter((placement) => placement.spec.host === metadata.id);
  return {
    id: metadata.id,
    phase: metadata.phase,
    cpus: spec.cpus,
    memoryMiB: spec.memoryMib,
    cordoned: spec.cordoned,
    labels: metadata.labels,
    reserved: {
      cpus: onIt.reduce((sum, placement) => sum + placement.spec.cpus, 0),
      memoryMiB: onIt.reduce((sum, placement) => sum + placement.spec.memoryMib, 0),
    },
    vms: onIt.map((placement) => placement.metadata.id),
  };
}
