import {
  type ApiRequest,
  idField,
  labelsField,
  type Route,
  readJson,
  resourceView,
  route,
  specFields,
} from '@cosi-ts/app-kit';
import { isNotFound, type JsonValue, NotFoundError, type TypedPointer } from '@cosi-ts/resource';
import type { State } from '@cosi-ts/state';
import { NetworkConfig, VMConfig, VMPlacement, VMStatus } from '../resources/index.js';
import { listVMs, viewOf } from './vm-view.js';

/** What a request that leaves it out gets. */
const defaults: Readonly<Record<string, JsonValue>> = Object.freeze({ cpus: 1, memoryMiB: 512, image: 'debian-12' });

/** `/vms`: what is wanted is written, the rest is the controllers' work. */
export function vmsRoutes(state: State): readonly Route[] {
  const find = async <S>(pointer: TypedPointer<S>, signal: AbortSignal) => {
    try {
      return await state.get(pointer, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };

  const view = async (id: string, signal: AbortSignal) => {
    const config = await find(VMConfig.at(id), signal);
    if (config === undefined) throw new NotFoundError(VMConfig.at(id));
    const status = await find(VMStatus.at(id), signal);
    const placement = await find(VMPlacement.at(id), signal);
    const network = await find(NetworkConfig.at(id), signal);
    return { config, status, placement, network };
  };

  const list = async ({ signal }: ApiRequest) => ({ status: 200, body: { vms: await listVMs(state, signal) } });

  const get = async ({ params, signal }: ApiRequest) => {
    const parts = await view(params.id as string, signal);
    const resources = Object.values(parts).flatMap((part) => (part === undefined ? [] : [resourceView(part)]));
    return { status: 200, body: { ...viewOf(parts), resources } };
  };

  const create = async ({ raw, signal }: ApiRequest) => {
    const fields = await readJson(raw);
    const id = idField(fields);
    const labels = labelsField(fields) ?? {};
    const spec = VMConfig.codec.fromJson({ ...defaults, ...specFields(fields) });
    const config = await state.create(VMConfig.new(id, spec, { labels }), { signal });
    const body = viewOf({ config, status: undefined, placement: undefined, network: undefined });
    return { status: 202, body, headers: { location: `/vms/${encodeURIComponent(id)}` } };
  };

  const change = async ({ raw, params, signal }: ApiRequest) => {
    const id = params.id as string;
    const fields = await readJson(raw);
    const labels = labelsField(fields);
    await state.updateWithConflicts(
      VMConfig.at(id),
      (draft) => {
        const present = VMConfig.codec.toJson(draft.spec) as Record<string, JsonValue>;
        draft.spec = VMConfig.codec.draft(VMConfig.codec.fromJson({ ...present, ...specFields(fields) }));
        if (labels !== undefined) draft.metadata.labels = labels;
      },
      { signal },
    );
    return { status: 202, body: viewOf(await view(id, signal)) };
  };

  const remove = async ({ params, signal }: ApiRequest) => {
    const id = params.id as string;
    const parts = await view(id, signal);
    await state.teardown(VMConfig.at(id), { signal });
    return { status: 202, body: { ...viewOf(parts), phase: 'tearingDown' } };
  };

  return [
    route('GET', '/vms', list),
    route('POST', '/vms', create),
    route('GET', '/vms/:id', get),
    route('PATCH', '/vms/:id', change),
    route('DELETE', '/vms/:id', remove),
  ];
}
