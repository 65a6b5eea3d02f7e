import type { TypedKind } from '@cosi-ts/resource';
import { type Clock, sleep } from '@cosi-ts/state';
import type { ControlPlane } from '../control-plane.js';
import { changeFeed, type FeedItem } from '../feed/change-feed.js';
import { MachineChanges } from '../feed/machine-changes.js';
import { resourceView } from '../feed/resource-view.js';
import { WakeUp } from '../feed/wake-up.js';
import { vmTypes } from '../resources/registry.js';
import { EventStream } from './event-stream.js';
import { healthView } from './health-view.js';
import { machineJson } from './machine-view.js';
import { Problem } from './problem.js';
import { type ApiRequest, type Route, route } from './router.js';

const kinds = vmTypes.map(({ kind }) => kind as TypedKind<unknown>);

/** Health changes with every item of work: a client is told of it at most so often. */
const healthIntervalMs = 1000;
const mostStreams = 256;

/**
 * `/events`: everything as it happens, as server-sent events.
 *
 * Resources: `reset` (forget all), `snapshot` (some of those that there are), `ready` (that was all), then `created`,
 * `updated` and `destroyed`. The id of an event is a bookmark: a client that connects again with it in `Last-Event-ID`
 * gets what it missed, or a `reset` when that is not kept any more. Beside these, without an id because they are not
 * kept: `machines` (all of the hypervisor's, at the beginning), `machine` (one that changed) and `health`.
 */
export function eventsRoute(plane: ControlPlane, clock: Clock): Route {
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
      using stream = new EventStream(response, clock, signal);
      // The query is for clients that cannot set headers.
      const position = raw.headers['last-event-id']?.toString() ?? query.get('lastEventId') ?? undefined;
      await new Connection(plane, clock, stream).run(position, signal);
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

/** One client: resources, machines and health, all at the client's pace. */
class Connection {
  readonly #plane: ControlPlane;
  readonly #clock: Clock;
  readonly #stream: EventStream;
  readonly #activity = new WakeUp();

  constructor(plane: ControlPlane, clock: Clock, stream: EventStream) {
    this.#plane = plane;
    this.#clock = clock;
    this.#stream = stream;
  }

  /** Until the signal aborts or one of the three fails. Rejects with what ended it. */
  async run(position: string | undefined, signal: AbortSignal): Promise<void> {
    const end = new AbortController();
    const onAbort = () => end.abort(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    const parts = [
      this.#tellMachines(end.signal),
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
    for await (const item of changeFeed(this.#plane.state, kinds, { position, signal })) {
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

  async #tellMachines(signal: AbortSignal): Promise<void> {
    using changes = new MachineChanges(this.#plane.hypervisor);
    await this.#stream.send('machines', [...this.#plane.machines.values()].map(machineJson));
    for (;;) {
      for (const { id, machine } of await changes.take(signal)) {
        await this.#stream.send('machine', { id, machine: machine === undefined ? null : machineJson(machine) });
      }
      this.#activity.wake();
    }
  }

  async #tellHealth(signal: AbortSignal): Promise<void> {
    let told = '';
    for (;;) {
      const health = healthView(this.#plane.health(), this.#plane.addresses);
      const text = JSON.stringify(health);
      if (text !== told) await this.#stream.send('health', health);
      told = text;
      await this.#activity.wait(signal);
      await sleep(this.#clock, healthIntervalMs, signal);
    }
  }
}
