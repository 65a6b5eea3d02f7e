import { create } from '@bufbuild/protobuf';
import { wire } from '@cosi-ts/proto';
import type { CoreState } from '@cosi-ts/state';
import type { Call } from './call.js';
import type { Outgoing } from './outgoing.js';
import { callOptions, requestedKind, requestedPointer, requestedQuery } from './requests.js';

export async function get(
  core: CoreState,
  outgoing: Outgoing,
  request: wire.GetRequest,
  call: Call,
): Promise<wire.GetResponse> {
  const resource = await core.get(requestedPointer(request), callOptions(call));
  return create(wire.GetResponseSchema, { resource: outgoing.resource(resource) });
}

/** One resource in a message, each made when the one before has been taken. */
export async function* list(
  core: CoreState,
  outgoing: Outgoing,
  request: wire.ListRequest,
  call: Call,
): AsyncGenerator<wire.ListResponse, void> {
  const options = { ...requestedQuery(request.options), ...callOptions(call) };
  for (const resource of await core.list(requestedKind(request), options)) {
    call.signal.throwIfAborted();
    yield create(wire.ListResponseSchema, { resource: outgoing.resource(resource) });
  }
}
