import type { wire } from '@cosi-ts/proto';
import { ClosedError, UnsupportedError } from '@cosi-ts/resource';
import { type Clock, type CoreState, type Event, mapWatch, sleep, type Watch } from '@cosi-ts/state';
import { type Envelopes, enveloped } from '../envelope.js';
import type { Call } from './call.js';
import type { EventBatches } from './event-batches.js';
import { callOptions, requestedKind, requestedPointer, requestedQuery } from './requests.js';

/** From this version on, clients know what bootstrapped and errored events are. */
const fullApiVersion = 1;

/**
 * How long a stream stays open after an errored event. Go clients take an end right after it for a second failure, so
 * the end is left to the client.
 */
const afterErroredMs = 5000;

/**
 * The first message is empty and says that the watch is established; what prevents that ends the stream instead. The
 * subscription is freed when the call's signal aborts, also while nobody takes messages.
 */
export async function* watch(
  core: CoreState,
  batches: EventBatches,
  clock: Clock,
  request: wire.WatchRequest,
  call: Call,
): AsyncGenerator<Envelopes, void> {
  await using events = await subscribe(core, request, call);
  yield established;
  const full = request.apiVersion >= fullApiVersion;
  const packing = request.id === undefined && request.options?.aggregated === true ? 'together' : 'apart';
  for await (const array of events) {
    const shown = full ? array : array.filter(isKnownToAll);
    for (let at = 0; at < shown.length; ) {
      const batch = batches.next(shown, at, call.batchBytes(), packing);
      yield batch;
      at = batch.to;
    }
    const last = array.at(-1);
    if (last?.type !== 'errored') continue;
    // A client that does not know the event must still learn that nothing more will come.
    if (!full) throw last.error;
    await sleep(clock, afterErroredMs, call.signal);
    return;
  }
  call.signal.throwIfAborted();
  throw new ClosedError('the state ended the watch', { subject: requestedKind(request) });
}

const established: Envelopes = Object.freeze({ bytes: enveloped(new Uint8Array(0)), count: 1 });

function isKnownToAll({ type }: Event): boolean {
  return type !== 'bootstrapped' && type !== 'errored';
}

async function subscribe(core: CoreState, request: wire.WatchRequest, call: Call): Promise<Watch<readonly Event[]>> {
  const { id, options } = request;
  const start = {
    tailEvents: Math.max(0, options?.tailEvents ?? 0),
    startFromBookmark: options?.startFromBookmark,
    ...callOptions(call),
  };
  if (id !== undefined) {
    checkSingle(options);
    return mapWatch(await core.watch(requestedPointer({ ...requestedKind(request), id }), start), (event) => [event]);
  }
  const kindOptions = {
    ...start,
    ...requestedQuery(options),
    bootstrapContents: options?.bootstrapContents ?? false,
    bootstrapBookmark: options?.bootstrapBookmark ?? false,
  };
  // Arrays in any case: what is ready is written at once, in as many messages as the client wants.
  return core.watchKindAggregated(requestedKind(request), kindOptions);
}

/** What a watch of a single resource cannot do. An id query, and asking for arrays or a bookmark, mean nothing there. */
function checkSingle(options: wire.WatchOptions | undefined): void {
  if (options?.bootstrapContents === true) {
    throw new UnsupportedError('a watch of a single resource has no bootstrap contents');
  }
  if (options !== undefined && options.labelQuery.length > 0) {
    throw new UnsupportedError('a watch of a single resource takes no label query');
  }
}
