import { create } from '@bufbuild/protobuf';
import { wire } from '@cosi-ts/proto';
import { type Phase, parsePhase } from '@cosi-ts/resource';
import type { CoreState } from '@cosi-ts/state';
import type { Call } from './call.js';
import type { Outgoing } from './outgoing.js';
import { callOptions, requestedPointer, requestedResource } from './requests.js';

export async function createResource(
  core: CoreState,
  outgoing: Outgoing,
  request: wire.CreateRequest,
  call: Call,
): Promise<wire.CreateResponse> {
  const options = { owner: request.options?.owner ?? '', ...callOptions(call) };
  const stored = await core.create(requestedResource(request.resource), options);
  return create(wire.CreateResponseSchema, { resource: outgoing.resource(stored) });
}

export async function updateResource(
  core: CoreState,
  outgoing: Outgoing,
  request: wire.UpdateRequest,
  call: Call,
): Promise<wire.UpdateResponse> {
  const options = {
    owner: request.options?.owner ?? '',
    expectedPhase: expectedPhase(request.options?.expectedPhase),
    ...callOptions(call),
  };
  const stored = await core.update(requestedResource(request.newResource), options);
  return create(wire.UpdateResponseSchema, { resource: outgoing.resource(stored) });
}

/** Presence decides, so that an empty text is no phase. */
function expectedPhase(text: string | undefined): Phase | 'any' {
  return text === undefined ? 'any' : parsePhase(text);
}

export async function destroyResource(
  core: CoreState,
  request: wire.DestroyRequest,
  call: Call,
): Promise<wire.DestroyResponse> {
  const options = { owner: request.options?.owner ?? '', ...callOptions(call) };
  await core.destroy(requestedPointer(request), options);
  return create(wire.DestroyResponseSchema);
}
