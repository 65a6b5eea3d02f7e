import { type Kind, OverrunError, type Pointer } from '@cosi-ts/resource';
import type { Event, WatchSource } from '@cosi-ts/state';
import type { EventLog } from './backing-store.js';
import type { Collection } from './collection.js';
import type { Change } from './history-entry.js';
import type { Opening } from './openings.js';
import type { Timeline } from './timeline.js';
import type { Sleeper } from './wake-ups.js';
import { erroredEvent, visible } from './watch-events.js';

export interface LiveSourceInit {
  readonly collection: Collection;
  readonly timeline: Timeline;
  /** Holds what is older than memory. */
  readonly log: EventLog | undefined;
  /** Called once, when nothing is held any more. */
  readonly onEnd: (source: LiveSource) => void;
}

type Batch = readonly Event[];

/** So many events are taken at once while more are being written. */
const worthReading = 64;

/**
 * A watcher's place in the stream of a kind's changes: a number in the history, or a position in the log for one that is
 * further behind, and nothing per event. Gives all that is new at a time as one array.
 */
export abstract class LiveSource implements WatchSource<Batch>, Sleeper {
  readonly collection: Collection;
  protected readonly timeline: Timeline;
  /** The number of the first event in the history that is still to come; −1 when that is older than the history. */
  protected cursor: number;
  /** All up to this position has been taken. */
  #position: number;
  readonly #log: EventLog | undefined;
  readonly #openings: Opening[] = [];
  readonly #onEnd: (source: LiveSource) => void;
  #resolve: ((batch: Batch | undefined) => void) | undefined;
  #ended = false;

  /** It begins with what happens from now on. */
  constructor(init: LiveSourceInit) {
    this.collection = init.collection;
    this.timeline = init.timeline;
    this.cursor = this.collection.history.next;
    this.#position = this.timeline.position;
    this.#log = init.log;
    this.#onEnd = init.onEnd;
    this.collection.watchers++;
  }

  /** Adds what comes before the live events: an array of its own, made when it is read. */
  open(opening: Opening): void {
    this.#openings.push(opening);
  }

  /** Goes on after a position that memory or the log still holds. */
  startAfter(position: number): void {
    this.#position = position;
    if (position < this.collection.history.floor) {
      this.cursor = -1;
      return;
    }
    const events = this.#resumeAfter(position);
    this.open(() => events);
  }

  pull(): Promise<Batch | undefined> | Batch | undefined {
    if (this.#ended) return undefined;
    for (let opening = this.#openings.shift(); opening !== undefined; opening = this.#openings.shift()) {
      const events = opening();
      if (events.length > 0) return events;
    }
    const behind = !this.reaches(this.collection.history.first);
    if (behind && this.#log === undefined) return this.#overrun();
    const batch = behind || this.#worthWaiting() ? undefined : this.#take();
    if (batch !== undefined) return batch;
    return new Promise((resolve) => {
      this.#resolve = resolve;
      if (behind) void this.#catchUp(this.#log as EventLog);
      else this.sleep();
    });
  }

  /** A little more patience brings more at a time, but who has much to read already must not fall further behind. */
  #worthWaiting(): boolean {
    return this.wakeUpPending() && this.collection.history.next - this.cursor < worthReading;
  }

  /**
   * Who waits has seen all that happened before: what was trimmed since then is still kept and has not been missed.
   */
  wake(): boolean {
    const batch = this.#take();
    if (batch === undefined) return false;
    this.#settle(batch);
    return true;
  }

  #settle(batch: Batch | undefined): void {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(batch);
  }

  /** What is new in the history; undefined when nothing is that the watch sees. */
  #take(): Batch | undefined {
    const { history } = this.collection;
    const { cursor } = this;
    const to = history.next;
    if (cursor === to) return undefined;
    this.cursor = to;
    this.#position = history.positionBefore(to);
    const events = this.events(cursor, to);
    return events.length > 0 ? events : undefined;
  }

  /** Reads on in the log until there is something to give, or the history takes over. */
  async #catchUp(log: EventLog): Promise<void> {
    try {
      while (!this.#ended && this.#position < this.collection.history.floor) {
        const batch = await this.#readOn(log);
        if (batch.length > 0) return this.#settle(batch);
      }
      if (this.#ended) return;
      const missed = this.#resumeAfter(this.#position);
      const batch = missed.length > 0 ? missed : this.#take();
      if (batch === undefined) this.sleep();
      else this.#settle(batch);
    } catch (error) {
      if (!this.#ended) this.#settle(this.#fail(error as Error));
    }
  }

  /** What this gives has been taken: the log is not to bring it again. */
  #resumeAfter(position: number): Batch {
    const missed = this.resume(position);
    this.#position = Math.max(position, this.collection.history.positionBefore(this.cursor));
    return missed;
  }

  async #readOn(log: EventLog): Promise<Batch> {
    const page = await log.read(this.subject, this.#position, this.timeline.position);
    if (this.#ended) return [];
    if (page === undefined) return this.#overrun();
    if (!(page.through > this.#position)) {
      throw new RangeError(`the event log went from ${this.#position} to ${page.through}`);
    }
    this.#position = page.through;
    return visible(page.events, this.see);
  }

  #overrun(): Batch {
    const { kind, history } = this.collection;
    const log = this.#log;
    if (log === undefined) {
      const kept = history.next - history.first;
      return this.#fail(new OverrunError(kind, BigInt(this.cursor), BigInt(history.next), kept));
    }
    const { position } = this.timeline;
    return this.#fail(new OverrunError(kind, BigInt(this.#position), BigInt(position), position - log.floor));
  }

  #fail(error: Error): Batch {
    this.#end();
    return Object.freeze([erroredEvent(error)]);
  }

  close(): void {
    if (this.#ended) return;
    this.stopSleeping();
    this.#end();
    this.#settle(undefined);
  }

  #end(): void {
    this.#ended = true;
    this.#openings.length = 0;
    this.leave();
    this.collection.watchers--;
    this.#onEnd(this);
  }

  /** What is watched. */
  abstract readonly subject: Kind | Pointer;
  /** Whether a change of the kind is about what is watched. */
  abstract concerns(change: Change): boolean;
  /** What the watch sees of one change. */
  abstract readonly see: (change: Change) => Event | undefined;
  /** Whether none of the events that are still to come is older than that number. */
  protected abstract reaches(oldest: number): boolean;
  /**
   * Puts the cursor after a position that the history reaches back to. Gives the events after it that the cursor would
   * not come to.
   */
  protected abstract resume(position: number): Batch;
  /** What the watch sees of the events from one number up to but not including another. */
  protected abstract events(from: number, to: number): Batch;
  /** Whether those that sleep are about to be woken for what is new. */
  protected abstract wakeUpPending(): boolean;
  /** Asks to be woken when there may be something new. */
  protected abstract sleep(): void;
  protected abstract stopSleeping(): void;
  /** Frees what is held. */
  protected abstract leave(): void;
}
