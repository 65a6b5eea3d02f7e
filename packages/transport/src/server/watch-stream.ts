import { create } from '@bufbuild/protobuf';
import { wire } from '@cosi-ts/proto';
import { ClosedError, UnsupportedError } from '@cosi-ts/resource';
import { type Clock, type CoreState, type Event, mapWatch, sleep, type Watch } from '@cosi-ts/state';
import { batches } from './batches.js';
import type { Call } from './call.js';
import type { Outgoing } from './outgoing.js';
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
  outgoing: Outgoing,
  clock: Clock,
  request: wire.WatchRequest,
  call: Call,
): AsyncGenerator<wire.WatchResponse, void> {
  await using events = await subscribe(core, request, call);
  yield create(wire.WatchResponseSchema);
  const full = request.apiVersion >= fullApiVersion;
  for await (const array of events) {
    for (const event of batches(messages(array, outgoing, full))) yield create(wire.WatchResponseSchema, { event });
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

/** Made one by one as they are taken: a bootstrap can be large. */
function* messages(events: readonly Event[], outgoing: Outgoing, full: boolean): Generator<wire.Event, void> {
  for (const event of events) {
    if (full || (event.type !== 'bootstrapped' && event.type !== 'errored')) yield outgoing.event(event);
  }
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
    return inArrays(await core.watch(requestedPointer({ ...requestedKind(request), id }), start));
  }
  const kindOptions = {
    ...start,
    ...requestedQuery(options),
    bootstrapContents: options?.bootstrapContents ?? false,
    bootstrapBookmark: options?.bootstrapBookmark ?? false,
  };
  const kind = requestedKind(request);
  if (options?.aggregated === true) return core.watchKindAggregated(kind, kindOptions);
  return inArrays(await core.watchKind(kind, kindOptions));
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

function inArrays(watch: Watch<Event>): Watch<readonly Event[]> {
  return mapWatch(watch, (event) => [event]);
}
