import type { Event, Watch } from '@cosi-ts/state';
import { check, equal, fail } from './assertions.js';
import { type Deadline, within } from './deadline.js';
import { eventText, show } from './show.js';

/** What a watch gave, or how it ended. */
type Step = { readonly batch: readonly Event[] } | { readonly done: true } | { readonly failed: unknown };

export interface ReaderOptions {
  /** Read only when the test asks, instead of as soon as there is something. Default: false. */
  readonly lazy?: boolean | undefined;
}

/**
 * Reads a watch of either form, with a deadline for each event. It reads ahead, unless it is to be lazy: so that a
 * test of something else does not depend on how much history is kept.
 */
export class EventReader {
  readonly watch: Watch<Event> | Watch<readonly Event[]>;
  readonly #deadline: Deadline;
  readonly #steps: Step[] = [];
  readonly #lazy: boolean;
  readonly #seen: string[] = [];
  #waiting: (() => void) | undefined;
  #batch: readonly Event[] = [];
  #at = 0;

  constructor(watch: Watch<Event> | Watch<readonly Event[]>, deadline: Deadline, options: ReaderOptions = {}) {
    this.watch = watch;
    this.#deadline = deadline;
    this.#lazy = options.lazy ?? false;
    if (!this.#lazy) void this.#readAhead();
  }

  async #readAhead(): Promise<void> {
    for (;;) {
      const step = await this.#pull();
      this.#steps.push(step);
      this.#waiting?.();
      if (!('batch' in step)) return;
    }
  }

  async #pull(): Promise<Step> {
    try {
      const result = await this.watch.next();
      if (result.done === true) return { done: true };
      const value: Event | readonly Event[] = result.value;
      return { batch: Array.isArray(value) ? (value as readonly Event[]) : [value as Event] };
    } catch (error) {
      return { failed: error };
    }
  }

  async #step(waitingFor: string): Promise<Step> {
    const step = this.#lazy ? this.#pull() : this.#nextOfAhead();
    return within(this.#deadline, step, () => `${waitingFor} ${this.#history()}`);
  }

  async #nextOfAhead(): Promise<Step> {
    while (this.#steps.length === 0) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
    const [step] = this.#steps;
    // The end stays, so that it can be asked about again.
    if (step !== undefined && 'batch' in step) this.#steps.shift();
    return step as Step;
  }

  #history(): string {
    return this.#seen.length === 0 ? 'at the beginning of the watch' : `after ${this.#seen.slice(-8).join(', ')}`;
  }

  /** The next array of an aggregated watch; of another one, the next event in an array. */
  async nextBatch(waitingFor = 'the next array of events'): Promise<readonly Event[]> {
    check(this.#at >= this.#batch.length, `part of an array is unread: ${show(this.#batch)}`);
    const step = await this.#step(waitingFor);
    if ('failed' in step) return fail(`waiting for ${waitingFor}, next() rejected: ${show(step.failed)}`, step.failed);
    if ('done' in step) return fail(`waiting for ${waitingFor}, the watch ended ${this.#history()}`);
    for (const event of step.batch) this.#seen.push(eventText(event));
    return step.batch;
  }

  async next(waitingFor = 'an event'): Promise<Event> {
    while (this.#at >= this.#batch.length) {
      this.#batch = await this.nextBatch(waitingFor);
      this.#at = 0;
    }
    return this.#batch[this.#at++] as Event;
  }

  async take(count: number): Promise<Event[]> {
    const events: Event[] = [];
    while (events.length < count) events.push(await this.next(`event ${events.length + 1} of ${count}`));
    return events;
  }

  /** Reads as many events as are given as texts (see `eventText`) and compares them. */
  async expect(...texts: readonly string[]): Promise<Event[]> {
    const events: Event[] = [];
    for (const [i, text] of texts.entries()) {
      const event = await this.next(text);
      events.push(event);
      if (eventText(event) !== text) {
        equal(events.map(eventText), texts.slice(0, i + 1), 'the events of the watch');
      }
    }
    return events;
  }

  /** Reads up to and including the first event with that text. */
  async until(text: string): Promise<Event[]> {
    const events: Event[] = [];
    for (;;) {
      const event = await this.next(text);
      events.push(event);
      if (eventText(event) === text) return events;
    }
  }

  /** Checks that the watch has ended, without another event or an error. */
  async ended(): Promise<void> {
    check(this.#at >= this.#batch.length, `the watch should have ended, it gave ${show(this.#batch.slice(this.#at))}`);
    const step = await this.#step('the end of the watch');
    if ('failed' in step) fail(`the watch should end, but next() rejected: ${show(step.failed)}`, step.failed);
    if ('batch' in step) fail(`the watch should have ended ${this.#history()}, it gave ${show(step.batch)}`);
  }

  close(): Promise<void> {
    return this.watch.close();
  }
}
