import { create, toBinary } from '@bufbuild/protobuf';
import { wire } from '@cosi-ts/proto';
import { type Clock, type CoreState, sleep, wrapState } from '@cosi-ts/state';
import { orAborted } from '../aborted.js';
import { enveloped } from '../envelope.js';
import type { Call } from './call.js';
import type { PendingWrites } from './pending-writes.js';
import { callOptions, requestedPointer } from './requests.js';

/** Natively where the state can, else composed. */
export async function teardown(core: CoreState, request: wire.TeardownRequest, call: Call): Promise<Uint8Array> {
  const options = { owner: request.options?.owner ?? '', ...callOptions(call) };
  const destroyReady = await wrapState(core).teardown(requestedPointer(request), options);
  return enveloped(toBinary(wire.TeardownResponseSchema, create(wire.TeardownResponseSchema, { destroyReady })));
}

/**
 * Natively where the state can, else composed. Callers race this call with the one that removes the last finalizer:
 * the resource is destroyed only when the writes to it that were in progress have been answered, and one turn of the
 * event loop has passed.
 */
export async function teardownAndDestroy(
  core: CoreState,
  writes: PendingWrites,
  clock: Clock,
  request: wire.TeardownAndDestroyRequest,
  call: Call,
): Promise<Uint8Array> {
  const pointer = requestedPointer(request);
  const beforeDestroy = async () => {
    await orAborted(writes.settled(pointer), call.signal);
    await sleep(clock, 0, call.signal);
  };
  const options = { owner: request.options?.owner ?? '', beforeDestroy, ...callOptions(call) };
  await wrapState(core).teardownAndDestroy(pointer, options);
  // The message has no fields.
  return enveloped(new Uint8Array(0));
}
