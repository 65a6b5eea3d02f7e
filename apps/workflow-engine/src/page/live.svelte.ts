import type { HealthView } from '@cosi-ts/app-kit';
import { type Connection, EventFeed } from '@cosi-ts/app-kit/page';
import type { RunView } from '../http/run-view.js';
import type { ScheduleView } from '../http/schedule-view.js';
import type { WorkerView } from '../http/workers-route.js';
import type { WorkflowView } from '../http/workflow-view.js';

interface Changes<T> {
  readonly changed: readonly T[];
  readonly gone: readonly string[];
}

/** Many changes come at once when many runs go on: lists are drawn anew at most so often. */
const redrawMs = 120;

/** The live view of all runs, workflows, schedules and workers, fed by the event stream. */
export class Live {
  /** The newest first. */
  runs = $state.raw<readonly RunView[]>([]);
  workflows = $state.raw<readonly WorkflowView[]>([]);
  schedules = $state.raw<readonly ScheduleView[]>([]);
  workers = $state.raw<readonly WorkerView[]>([]);
  health = $state.raw<HealthView | undefined>(undefined);
  /** False until everything was told for the first time. */
  isComplete = $state(false);

  readonly #runs = new Map<string, RunView>();
  readonly #workflows = new Map<string, WorkflowView>();
  readonly #schedules = new Map<string, ScheduleView>();
  readonly #workers = new Map<string, WorkerView>();
  #redraw: ReturnType<typeof setTimeout> | undefined;

  readonly #feed = new EventFeed(
    'events',
    {
      reset: () => {
        for (const known of [this.#runs, this.#workflows, this.#schedules, this.#workers]) known.clear();
      },
      runs: (changes: Changes<RunView>) => take(this.#runs, changes, ({ id }) => id),
      workflows: (changes: Changes<WorkflowView>) => take(this.#workflows, changes, ({ name }) => name),
      schedules: (changes: Changes<ScheduleView>) => take(this.#schedules, changes, ({ name }) => name),
      workers: (changes: Changes<WorkerView>) => take(this.#workers, changes, ({ id }) => id),
      health: (health: HealthView) => {
        this.health = health;
      },
      ready: () => undefined,
    },
    () => this.#schedule(),
  );

  get connection(): Connection {
    return this.#feed.connection;
  }

  start(): void {
    this.#feed.start();
  }

  stop(): void {
    this.#feed.stop();
  }

  #schedule(): void {
    this.#redraw ??= setTimeout(() => {
      this.#redraw = undefined;
      this.runs = [...this.#runs.values()].sort(newestFirst);
      this.workflows = sorted(this.#workflows);
      this.schedules = sorted(this.#schedules);
      this.workers = sorted(this.#workers);
      this.isComplete ||= this.connection === 'live';
    }, redrawMs);
  }
}

function take<T>(into: Map<string, T>, { changed, gone }: Changes<T>, keyOf: (each: T) => string): void {
  for (const each of changed) into.set(keyOf(each), each);
  for (const key of gone) into.delete(key);
}

/** By their names. */
function sorted<T>(known: ReadonlyMap<string, T>): readonly T[] {
  return [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

function newestFirst(a: RunView, b: RunView): number {
  if (a.created !== b.created) return a.created < b.created ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}
