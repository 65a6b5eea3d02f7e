import { EventFeed } from '@cosi-ts/app-kit/page';
import type { ExecutionView } from '../http/execution-view.js';
import type { RunDetail } from '../http/run-detail.js';
import type { RunView } from '../http/run-view.js';
import { runPath } from './api.js';
import { Reader } from './reader.svelte.js';

/** Which executions of a step have changed; undefined: some of them. */
export type OnExecutions = (step: string, indices: ReadonlySet<number> | undefined) => void;

interface Executions {
  readonly changed: readonly ExecutionView[];
  readonly more?: Readonly<Record<string, number>>;
}

/** The live view of one run: its summary comes with events, the rest is read again when something about it changed. */
export class RunLive {
  readonly id: string;
  /** Whether it was there and is no more. */
  isGone = $state(false);

  readonly #reader: Reader<RunDetail>;
  #summary = $state.raw<RunView | undefined>(undefined);
  readonly #listeners = new Set<OnExecutions>();
  readonly #feed: EventFeed;
  #isFollowing = false;

  constructor(id: string) {
    this.id = id;
    this.#reader = new Reader<RunDetail>(runPath(id), { onValue: () => this.#follow() });
    this.#feed = new EventFeed(`events?run=${encodeURIComponent(id)}`, {
      runs: ({ changed, gone }: { changed: readonly RunView[]; gone: readonly string[] }) => {
        this.#summary = changed.find((run) => run.id === id) ?? this.#summary;
        this.isGone = gone.includes(id);
        if (!this.isGone) this.#reader.ask();
      },
      executions: (executions: Executions) => this.#take(executions),
    });
  }

  /** As new as the last event, also while the rest of it is being read. */
  readonly run: RunDetail | undefined = $derived.by(() => {
    const detail = this.#reader.value;
    const summary = this.#summary;
    if (detail === undefined || summary === undefined) return detail;
    const states = new Map(summary.steps.map((step) => [step.step, step]));
    return { ...detail, ...summary, steps: detail.steps.map((step) => ({ ...step, ...states.get(step.step) })) };
  });

  get error() {
    return this.#reader.value === undefined ? this.#reader.error : undefined;
  }

  start(): void {
    this.#reader.ask();
    if (this.#isFollowing) this.#feed.start();
  }

  stop(): void {
    this.#feed.stop();
  }

  close(): void {
    this.#reader.stop();
  }

  /** Gives what ends it. */
  onExecutions(listener: OnExecutions): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** A stream of a run that there is not would be refused again and again. */
  #follow(): void {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    if (document.visibilityState === 'visible') this.#feed.start();
  }

  #take({ changed, more = {} }: Executions): void {
    const indices = new Map<string, Set<number> | undefined>();
    for (const { step, index } of changed) indices.set(step, (indices.get(step) ?? new Set<number>()).add(index));
    for (const step of Object.keys(more)) indices.set(step, undefined);
    for (const [step, those] of indices) for (const listener of this.#listeners) listener(step, those);
    // What is known of the executions of steps that have one, and what is waited for, is part of the run.
    this.#reader.ask();
  }
}
