import type { wire } from '@cosi-ts/proto';
import type { Clock, CoreState } from '@cosi-ts/state';
import type { Call } from './call.js';
import type { Outgoing } from './outgoing.js';
import { PendingWrites } from './pending-writes.js';
import { get, list } from './read-handlers.js';
import { requestedPointer } from './requests.js';
import { teardown, teardownAndDestroy } from './teardown-handlers.js';
import { watch } from './watch-stream.js';
import { createResource, destroyResource, updateResource } from './write-handlers.js';

/** The calls of the service, from messages to messages. They reject with errors of the state, not with a status. */
export interface StateHandlers {
  get(request: wire.GetRequest, call: Call): Promise<wire.GetResponse>;
  list(request: wire.ListRequest, call: Call): AsyncIterable<wire.ListResponse>;
  create(request: wire.CreateRequest, call: Call): Promise<wire.CreateResponse>;
  update(request: wire.UpdateRequest, call: Call): Promise<wire.UpdateResponse>;
  destroy(request: wire.DestroyRequest, call: Call): Promise<wire.DestroyResponse>;
  watch(request: wire.WatchRequest, call: Call): AsyncIterable<wire.WatchResponse>;
  teardown(request: wire.TeardownRequest, call: Call): Promise<wire.TeardownResponse>;
  teardownAndDestroy(request: wire.TeardownAndDestroyRequest, call: Call): Promise<wire.TeardownAndDestroyResponse>;
}

export function stateHandlers(core: CoreState, outgoing: Outgoing, clock: Clock): StateHandlers {
  const writes = new PendingWrites();
  return {
    get: (request, call) => get(core, outgoing, request, call),
    list: (request, call) => list(core, outgoing, request, call),
    create(request, call) {
      const { metadata } = request.resource ?? {};
      if (metadata !== undefined) writes.add(requestedPointer(metadata), call.answered);
      return createResource(core, outgoing, request, call);
    },
    update(request, call) {
      const { metadata } = request.newResource ?? {};
      if (metadata !== undefined) writes.add(requestedPointer(metadata), call.answered);
      return updateResource(core, outgoing, request, call);
    },
    destroy(request, call) {
      writes.add(requestedPointer(request), call.answered);
      return destroyResource(core, request, call);
    },
    watch: (request, call) => watch(core, outgoing, clock, request, call),
    teardown(request, call) {
      writes.add(requestedPointer(request), call.answered);
      return teardown(core, request, call);
    },
    teardownAndDestroy: (request, call) => teardownAndDestroy(core, writes, clock, request, call),
  };
}
