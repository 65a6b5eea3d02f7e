import type { TypedKind } from '@cosi-ts/resource';
import { type Clock, type State, sleep } from '@cosi-ts/state';
import { changeFeed, type FeedItem } from '../feed/change-feed.js';
import { resourceView } from '../feed/resource-view.js';
import { WakeUp } from '../feed/wake-up.js';
import { EventStream } from './event-stream.js';
import { Problem } from './problem.js';
import { type ApiRequest, type Route, route } from './router.js';

export interface EventsRouteOptions {
  readonly state: Pick<State, 'watchKindAggregated'>;
  /** What is told of: all resources of these kinds, in this order at the beginning. */
  readonly kinds: readonly TypedKind<unknown>[];
  /** What is sent as `health` when it has changed. It is asked for when something has happened, and now and then. */
  readonly health: () => unknown;
  /** What else there is to tell. */
  readonly others?: readonly EventTeller[];
  readonly clock: Clock;
}

/**
 * Sends events of its own to one client, until the signal aborts: then it rejects with the signal's reason. Calls
 * `onActivity` when something has happened.
 */
export type EventTeller = (stream: EventStream, signal: AbortSignal, onActivity: () => void) => Promise<void>;

/** Health changes with every item of work: a client is told of it at most so often. */
const healthIntervalMs = 1000;
/** What goes wrong where nothing else happens is told after so long. */
const healthCheckMs = 3000;
const mostStreams = 256;

/**
 * `/events`: everything as it happens, as server-sent events.
 *
 * Resources: `reset` (forget all), `snapshot` (some of those that there are), `ready` (that was all), then `created`,
 * `updated` and `destroyed`. The id of an event is a bookmark: a client that connects again with it in `Last-Event-ID`
 * gets what it missed, or a `reset` when that is not kept any more. Beside these, without an id because they are not
 * kept: `health`, and what the app has to tell.
 */
export function eventsRoute(options: EventsRouteOptions): Route {
  let streams = 0;

  const events = async ({ raw, response, query, signal }: ApiRequest) => {
    if (raw.method === 'HEAD') {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).end();
      return undefined;
    }
    if (streams >= mostStreams) {
      throw new Problem(503, 'resource-exhausted', `there are ${mostStreams} event streams already`);
    }
    streams++;
    try {
      using stream = new EventStream(response, options.clock, signal);
      // The query is for clients that cannot set headers.
      const position = raw.headers['last-event-id']?.toString() ?? query.get('lastEventId') ?? undefined;
      await new Connection(options, stream).run(position, signal);
    } catch (error) {
      // The client has gone, or the server is stopping: the ends that streams have.
      if (!signal.aborted) throw error;
    } finally {
      streams--;
    }
    return undefined;
  };

  return route('GET', '/events', events);
}

/** One client: resources, health and the rest, all at the client's pace. */
class Connection {
  readonly #options: EventsRouteOptions;
  readonly #stream: EventStream;
  readonly #activity = new WakeUp();

  constructor(options: EventsRouteOptions, stream: EventStream) {
    this.#options = options;
    this.#stream = stream;
  }

  /** Until the signal aborts or one of the parts fails. Rejects with what ended it. */
  async run(position: string | undefined, signal: AbortSignal): Promise<void> {
    const end = new AbortController();
    const onAbort = () => end.abort(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    const { others = [] } = this.#options;
    const parts = [
      ...others.map((tell) => tell(this.#stream, end.signal, () => this.#activity.wake())),
      this.#tellResources(position, end.signal),
      this.#tellHealth(end.signal),
    ];
    try {
      await Promise.all(parts);
    } finally {
      signal.removeEventListener('abort', onAbort);
      end.abort(new Error('another part of the stream has failed'));
      await Promise.allSettled(parts);
    }
  }

  async #tellResources(position: string | undefined, signal: AbortSignal): Promise<void> {
    const { state, kinds } = this.#options;
    for await (const item of changeFeed(state, kinds, { position, signal })) {
      await this.#tellItem(item);
      this.#activity.wake();
    }
  }

  #tellItem(item: FeedItem): Promise<void> {
    switch (item.type) {
      case 'reset':
        return this.#stream.send('reset', { reason: item.reason });
      case 'snapshot':
        return this.#stream.send('snapshot', item.resources.map(resourceView));
      case 'ready':
        return this.#stream.send('ready', {}, item.position);
      default:
        return this.#stream.send(item.type, resourceView(item.resource), item.position);
    }
  }

  async #tellHealth(signal: AbortSignal): Promise<void> {
    let told = '';
    for (;;) {
      const health = this.#options.health();
      const text = JSON.stringify(health);
      if (text !== told) await this.#stream.send('health', health);
      told = text;
      await this.#happens(signal);
      await sleep(this.#options.clock, healthIntervalMs, signal);
    }
  }

  /** Resolves when something has happened, or nothing for a while. */
  async #happens(signal: AbortSignal): Promise<void> {
    const timer = this.#options.clock.schedule(healthCheckMs, () => this.#activity.wake());
    try {
      await this.#activity.wait(signal);
    } finally {
      timer.cancel();
    }
  }
}
