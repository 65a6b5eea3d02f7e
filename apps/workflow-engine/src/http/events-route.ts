import {
  type ApiRequest,
  changeFeed,
  EventStream,
  type FeedItem,
  Problem,
  type Route,
  route,
  WakeUp,
} from '@cosi-ts/app-kit';
import { label, type TypedKind } from '@cosi-ts/resource';
import { type State, sleep } from '@cosi-ts/state';
import { labels, StepResult, StepRun } from '../resources/index.js';
import { flagIn } from './query-values.js';
import { runParts } from './run-view.js';
import {
  executionsGroup,
  otherGroups,
  type ResourceName,
  resourceName,
  runsGroup,
  type ViewContext,
  type ViewGroup,
} from './view-groups.js';

export interface EventsOptions extends ViewContext {
  /** What is sent as `health` when it has changed. */
  readonly health: () => unknown;
}

/** So long changes are gathered, so that a fan-out of thousands is told in a few events each second. */
const gatherMs = 150;
const healthIntervalMs = 1000;
const mostStreams = 256;
/** So many executions with an index are told of in one event: what is beyond is counted. */
const mostExecutions = 200;

/**
 * `/events`: what changes, as server-sent events, gathered for a moment so that each of them tells the newest of what
 * changed meanwhile. With `?run=ID` that run and its executions; else all runs, workflows, schedules and workers.
 *
 * `reset` (forget all), then what there is, `ready` (that was all), then changes. `runs`, `workflows`, … hold
 * `changed` and `gone`. The id of an event is a position: who connects again with it in `Last-Event-ID` gets what it
 * missed, or a `reset` when that is not kept any more.
 */
export function eventsRoute(options: EventsOptions): Route {
  let streams = 0;

  return route('GET', '/events', async ({ raw, response, query, signal }: ApiRequest) => {
    const run = query.get('run') ?? undefined;
    if (run !== undefined) await runParts(options.state, run, { signal });
    const isQuiet = query.has('snapshot') && !flagIn(query, 'snapshot');
    if (raw.method === 'HEAD') {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).end();
      return undefined;
    }
    if (streams >= mostStreams) {
      throw new Problem(503, 'resource-exhausted', `there are ${mostStreams} event streams already`, {
        hint: 'close some of them: a page needs one, and each program that follows a run another one',
      });
    }
    streams++;
    try {
      using stream = new EventStream(response, options.clock, signal);
      // The query is for clients that cannot set headers.
      const position = raw.headers['last-event-id']?.toString() ?? query.get('lastEventId') ?? undefined;
      await new Connection(options, stream, run, isQuiet).run(position, signal);
    } catch (error) {
      // The client has gone, or the server is stopping: the ends that streams have.
      if (!signal.aborted) throw error;
    } finally {
      streams--;
    }
    return undefined;
  });
}

/** What has changed and was not told yet. */
interface Gathered {
  reset: string | undefined;
  isReady: boolean;
  position: string | undefined;
  /** By group, and by id. */
  readonly changed: Map<ViewGroup, Map<string, ResourceName>>;
}

/** One client, at its own pace: what it has not taken yet is gathered by name, however often it changes. */
class Connection {
  readonly #options: EventsOptions;
  readonly #stream: EventStream;
  readonly #run: string | undefined;
  readonly #isQuiet: boolean;
  readonly #groups: readonly ViewGroup[];
  readonly #groupOf = new Map<string, ViewGroup>();
  readonly #wake = new WakeUp();
  readonly #activity = new WakeUp();
  #gathered = nothing();
  #isFollowing = false;

  constructor(options: EventsOptions, stream: EventStream, run: string | undefined, isQuiet: boolean) {
    this.#options = options;
    this.#stream = stream;
    this.#run = run;
    this.#isQuiet = isQuiet;
    this.#groups =
      run === undefined
        ? [runsGroup(options), ...otherGroups(options)]
        : [runsGroup(options), executionsGroup(options)];
    for (const group of this.#groups) for (const { type } of group.kinds) this.#groupOf.set(type, group);
  }

  /** Until the signal aborts or a part fails. Rejects with what ended it. */
  async run(position: string | undefined, signal: AbortSignal): Promise<void> {
    const end = new AbortController();
    const onAbort = () => end.abort(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    const parts = [this.#gather(position, end.signal), this.#tell(end.signal), this.#tellHealth(end.signal)];
    try {
      await Promise.all(parts);
    } finally {
      signal.removeEventListener('abort', onAbort);
      end.abort(new Error('another part of the stream has failed'));
      await Promise.allSettled(parts);
    }
  }

  async #gather(position: string | undefined, signal: AbortSignal): Promise<void> {
    const kinds = this.#groups.flatMap((group) => group.kinds);
    for await (const item of changeFeed(this.#source(), kinds, { position, signal })) {
      this.#take(item);
      this.#wake.wake();
      this.#activity.wake();
    }
  }

  /** The state, narrowed to one run where only that is asked for. */
  #source(): Pick<State, 'watchKindAggregated'> {
    const { state } = this.#options;
    const run = this.#run;
    if (run === undefined) return state;
    const ofRun = { labels: [label(labels.run).is(run)] };
    const itself = { id: `^${run.replaceAll(/[\\^$.|?*+()[\]{}]/g, '\\$&')}$` };
    const query = ({ type }: { readonly type: string }) =>
      type === StepRun.type || type === StepResult.type ? ofRun : itself;
    const watchKindAggregated = (kind: TypedKind<unknown>, options: object) =>
      state.watchKindAggregated(kind, { ...options, ...query(kind) });
    return { watchKindAggregated: watchKindAggregated as State['watchKindAggregated'] };
  }

  #take(item: FeedItem): void {
    const gathered = this.#gathered;
    switch (item.type) {
      case 'reset':
        this.#isFollowing = false;
        this.#gathered = { ...nothing(), reset: item.reason };
        return;
      case 'snapshot':
        if (!this.#isQuiet)
          for (const resource of item.resources) this.#note(resourceName(resource), resource.metadata.type);
        return;
      case 'ready':
        this.#isFollowing = true;
        gathered.isReady = true;
        gathered.position = item.position;
        return;
      default:
        this.#note(resourceName(item.resource), item.resource.metadata.type);
        gathered.position = item.position;
    }
  }

  #note(name: ResourceName, type: string): void {
    // A run can have thousands of these at its beginning: they come in pages, and here when they change.
    if (!this.#isFollowing && (name.place?.index ?? -1) >= 0) return;
    const group = this.#groupOf.get(type);
    if (group === undefined) return;
    const { changed } = this.#gathered;
    const names = changed.get(group) ?? new Map<string, ResourceName>();
    changed.set(group, names);
    names.set(name.id, name);
  }

  async #tell(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#wake.wait(signal);
      if (!this.#gathered.isReady) await sleep(this.#options.clock, gatherMs, signal);
      const { reset, isReady, position, changed } = this.#gathered;
      this.#gathered = nothing();
      if (reset !== undefined) await this.#stream.send('reset', { reason: reset });
      const events = [...changed];
      for (const [i, [group, names]] of events.entries()) {
        const data = await viewsOf(group, [...names.values()], signal);
        // The position is reached when all of it was told.
        await this.#stream.send(group.name, data, !isReady && i === events.length - 1 ? position : undefined);
      }
      if (isReady) await this.#stream.send('ready', {}, position);
    }
  }

  async #tellHealth(signal: AbortSignal): Promise<void> {
    let told = '';
    for (;;) {
      const health = this.#options.health();
      const text = JSON.stringify(health);
      if (text !== told) await this.#stream.send('health', health);
      told = text;
      await this.#activity.wait(signal);
      await sleep(this.#options.clock, healthIntervalMs, signal);
    }
  }
}

async function viewsOf(group: ViewGroup, names: readonly ResourceName[], signal: AbortSignal) {
  const more: Record<string, number> = {};
  let indexed = 0;
  const told = names.filter(({ place }) => {
    if (place === undefined || place.index < 0 || ++indexed <= mostExecutions) return true;
    more[place.step] = (more[place.step] ?? 0) + 1;
    return false;
  });
  const views = await Promise.all(told.map((name) => group.view(name, signal)));
  return {
    changed: views.filter((view) => view !== undefined),
    gone: told.filter((_, i) => views[i] === undefined).map(({ id }) => id),
    /** How many more executions of a step have changed: a page of them is to be read anew. */
    ...(indexed > mostExecutions ? { more } : {}),
  };
}

function nothing(): Gathered {
  return { reset: undefined, isReady: false, position: undefined, changed: new Map() };
}
