import type { wire } from '@cosi-ts/proto';
import type { Pointer } from '@cosi-ts/resource';
import type { Clock, CoreState } from '@cosi-ts/state';
import type { Envelopes } from '../envelope.js';
import type { Call } from './call.js';
import { EventBatches } from './event-batches.js';
import type { Outgoing } from './outgoing.js';
import { PendingWrites } from './pending-writes.js';
import { get, list } from './read-handlers.js';
import { requestedPointer } from './requests.js';
import { teardown, teardownAndDestroy } from './teardown-handlers.js';
import { watch } from './watch-stream.js';
import {
  type CreateRequest,
  createResource,
  destroyResource,
  type UpdateRequest,
  updateResource,
} from './write-handlers.js';

/**
 * The calls of the service, from requests to encoded messages in their envelopes: streams give some at a time. They
 * reject with errors of the state, not with a status.
 */
export interface StateHandlers {
  get(pointer: Pointer, call: Call): Promise<Uint8Array>;
  list(request: wire.ListRequest, call: Call): AsyncIterable<Envelopes>;
  create(request: CreateRequest, call: Call): Promise<Uint8Array>;
  update(request: UpdateRequest, call: Call): Promise<Uint8Array>;
  destroy(request: wire.DestroyRequest, call: Call): Promise<Uint8Array>;
  watch(request: wire.WatchRequest, call: Call): AsyncIterable<Envelopes>;
  teardown(request: wire.TeardownRequest, call: Call): Promise<Uint8Array>;
  teardownAndDestroy(request: wire.TeardownAndDestroyRequest, call: Call): Promise<Uint8Array>;
}

export function stateHandlers(core: CoreState, outgoing: Outgoing, clock: Clock): StateHandlers {
  const writes = new PendingWrites();
  const batches = new EventBatches((event) => outgoing.event(event));
  return {
    get: (pointer, call) => get(core, outgoing, pointer, call),
    list: (request, call) => list(core, outgoing, request, call),
    create(request, call) {
      writes.add(requestedPointer(request.resource.metadata), call.answered);
      return createResource(core, outgoing, request, call);
    },
    update(request, call) {
      writes.add(requestedPointer(request.resource.metadata), call.answered);
      return updateResource(core, outgoing, request, call);
    },
    destroy(request, call) {
      writes.add(requestedPointer(request), call.answered);
      return destroyResource(core, request, call);
    },
    watch: (request, call) => watch(core, batches, clock, request, call),
    teardown(request, call) {
      writes.add(requestedPointer(request), call.answered);
      return teardown(core, request, call);
    },
    teardownAndDestroy: (request, call) => teardownAndDestroy(core, writes, clock, request, call),
  };
}
