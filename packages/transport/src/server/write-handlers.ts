import type { wire } from '@cosi-ts/proto';
import { type Phase, parsePhase, type Resource } from '@cosi-ts/resource';
import type { CoreState } from '@cosi-ts/state';
import { enveloped, envelopedItem } from '../envelope.js';
import type { Call } from './call.js';
import type { Outgoing } from './outgoing.js';
import { callOptions, requestedPointer } from './requests.js';

/** What is to be created. */
export interface CreateRequest {
  readonly resource: Resource;
  readonly owner: string;
  /** The size of the request; undefined when it did not come as protobuf. */
  readonly bytes: number | undefined;
}

/** What a resource is to become. */
export interface UpdateRequest extends CreateRequest {
  /** Presence decides, so that an empty text is no phase. */
  readonly expectedPhase: string | undefined;
}

export async function createResource(
  core: CoreState,
  outgoing: Outgoing,
  { resource, owner, bytes }: CreateRequest,
  call: Call,
): Promise<Uint8Array> {
  outgoing.checkWritable(resource, owner, bytes);
  return envelopedItem(outgoing.resource(await core.create(resource, { owner, ...callOptions(call) }), true));
}

export async function updateResource(
  core: CoreState,
  outgoing: Outgoing,
  { resource, owner, bytes, expectedPhase }: UpdateRequest,
  call: Call,
): Promise<Uint8Array> {
  outgoing.checkWritable(resource, owner, bytes);
  const phase: Phase | 'any' = expectedPhase === undefined ? 'any' : parsePhase(expectedPhase);
  return envelopedItem(
    outgoing.resource(await core.update(resource, { owner, expectedPhase: phase, ...callOptions(call) }), true),
  );
}

export async function destroyResource(core: CoreState, request: wire.DestroyRequest, call: Call): Promise<Uint8Array> {
  const options = { owner: request.options?.owner ?? '', ...callOptions(call) };
  await core.destroy(requestedPointer(request), options);
  // The message has no fields.
  return enveloped(new Uint8Array(0));
}
