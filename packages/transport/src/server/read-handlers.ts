import type { wire } from '@cosi-ts/proto';
import type { Pointer } from '@cosi-ts/resource';
import type { CoreState } from '@cosi-ts/state';
import { type Envelopes, envelopedItem } from '../envelope.js';
import { batchOf } from './batches.js';
import type { Call } from './call.js';
import type { Outgoing } from './outgoing.js';
import { callOptions, requestedKind, requestedQuery } from './requests.js';

/** How much of a list is encoded before what there is has been taken. */
const listBatchBytes = 64 * 1024;

export async function get(core: CoreState, outgoing: Outgoing, pointer: Pointer, call: Call): Promise<Uint8Array> {
  return envelopedItem(outgoing.resource(await core.get(pointer, callOptions(call)), true));
}

/** One resource in a message, some messages at a time, made when those before have been taken. */
export async function* list(
  core: CoreState,
  outgoing: Outgoing,
  request: wire.ListRequest,
  call: Call,
): AsyncGenerator<Envelopes, void> {
  const options = { ...requestedQuery(request.options), ...callOptions(call) };
  const resources = await core.list(requestedKind(request), options);
  for (let at = 0; at < resources.length; ) {
    call.signal.throwIfAborted();
    const batch = batchOf(resources, at, listBatchBytes, 'apart', (resource) => outgoing.resource(resource, false));
    yield batch;
    at = batch.to;
  }
}
