import { type Clock, checkDelay, type Timer } from '@cosi-ts/state';
import { DelayHeap } from './delay-heap.js';
import { ItemLine } from './item-line.js';
import { ItemGroup, QueueItem } from './queue-item.js';

/** Whether work has taken something into account. */
type Seen<T> = (newest: T) => boolean;

/** So many live items are taken in a row at most while the backlog waits. */
const liveRun = 8;
/** So many items become ready before the host has a turn, however many are due at the same time. */
const dueAtOnce = 2048;

/**
 * The items that a controller is to work on. An item is in it once, whatever asks for it, and is given to one worker at
 * a time: {@link take} gives it, and {@link done}, {@link requeue} or {@link fail} ends the work on it. Asked for while
 * it is worked on, it is ready again at its end.
 *
 * Ready items are taken first in, first out, live ones before the backlog, of which one in nine is taken whatever comes.
 * Waiting items stand in one heap with one timer. An item that is asked for while it waits is ready at once.
 *
 * @typeParam J what is to be done with the items of a group
 * @typeParam T what is kept about an item: the newest replaces the one before, except that undefined, given while the
 * item is worked on, stays: it asks for the item whatever else is known about it
 */
export class WorkQueue<J, T> {
  readonly #clock: Clock;
  readonly #onReady: () => void;
  readonly #live = new ItemLine<QueueItem<J, T>>();
  readonly #backlog = new ItemLine<QueueItem<J, T>>();
  readonly #waiting = new DelayHeap<QueueItem<J, T>>();
  #taken = 0;
  #running = 0;
  #timer: Timer | undefined;
  #timerDueMs = Number.POSITIVE_INFINITY;
  #closed = false;

  /** @param onReady called whenever an item has become ready, within the call that made it so */
  constructor(clock: Clock, onReady: () => void) {
    this.#clock = clock;
    this.#onReady = onReady;
  }

  /** Items that can be taken now. */
  get ready(): number {
    return this.#live.length + this.#backlog.length;
  }

  /** Items that wait for a delay. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Items that were taken and have not ended. */
  get running(): number {
    return this.#running;
  }

  group(job: J): ItemGroup<J, T> {
    return new ItemGroup<J, T>(job);
  }

  /** Asks for an item: the backlog later than live ones. */
  put(group: ItemGroup<J, T>, id: string, value: T, backlog = false): void {
    if (this.#closed || !group.live) return;
    const known = group.items.get(id);
    if (known === undefined) {
      const item = new QueueItem(group, id, value, backlog);
      group.items.set(id, item);
      this.#makeReady(item, backlog);
      return;
    }
    if (known.state !== 'running' || known.again === undefined || known.value !== undefined) known.value = value;
    switch (known.state) {
      case 'ready':
        if (known.backlog && !backlog) {
          this.#backlog.remove(known);
          this.#makeReady(known, false);
        }
        return;
      case 'running':
        known.again = (known.again ?? true) && backlog;
        return;
      case 'waiting':
        this.#waiting.remove(known);
        this.#makeReady(known, known.backlog && backlog);
    }
  }

  /** The next item, which is running from then on. */
  take(): QueueItem<J, T> | undefined {
    const backlogsTurn = this.#taken >= liveRun && this.#backlog.length > 0;
    const live = backlogsTurn ? undefined : this.#live.shift();
    const item = live ?? this.#backlog.shift();
    if (item === undefined) return undefined;
    this.#taken = live === undefined ? 0 : this.#taken + 1;
    item.state = 'running';
    this.#running++;
    return item;
  }

  /**
   * Ends the work on an item well.
   *
   * @param isSeen whether the work has taken the newest into account that was given while it went on, so that this alone
   * is no reason to take the item again
   */
  done(item: QueueItem<J, T>, isSeen?: Seen<T>): void {
    item.failures = 0;
    if (this.#ended(item, isSeen)) this.#forget(item);
  }

  /** Ends the work on an item well, and has it taken again after the delay. Throws as {@link checkDelay}, without effect. */
  requeue(item: QueueItem<J, T>, delayMs: number, isSeen?: Seen<T>): void {
    checkDelay(delayMs);
    item.failures = 0;
    item.backlog = false;
    if (this.#ended(item, isSeen)) this.#delay(item, delayMs);
  }

  /** Ends the work on an item badly, and has it taken again after the delay. */
  fail(item: QueueItem<J, T>, delayMs: number, isSeen?: Seen<T>): void {
    checkDelay(delayMs);
    item.failures++;
    if (this.#ended(item, isSeen)) this.#delay(item, delayMs);
  }

  /** Forgets the items of a group and takes no more of them until it is revived. Those being worked on end as usual. */
  drop(group: ItemGroup<J, T>): void {
    group.live = false;
    for (const item of group.items.values()) {
      if (item.state === 'running') continue;
      if (item.state === 'ready') (item.backlog ? this.#backlog : this.#live).remove(item);
      else this.#waiting.remove(item);
      this.#forget(item);
    }
  }

  revive(group: ItemGroup<J, T>): void {
    group.live = true;
  }

  /** Takes no more, and leaves no timer. */
  close(): void {
    this.#closed = true;
    this.#disarm();
  }

  /** True when the item is not to run again at once. */
  #ended(item: QueueItem<J, T>, isSeen: Seen<T> | undefined): boolean {
    this.#running--;
    const { again } = item;
    item.again = undefined;
    if (this.#closed || !item.group.live) {
      this.#forget(item);
      return false;
    }
    if (again === undefined || (item.value !== undefined && isSeen?.(item.value) === true)) return true;
    this.#makeReady(item, again);
    return false;
  }

  #forget(item: QueueItem<J, T>): void {
    item.group.items.delete(item.id);
  }

  #makeReady(item: QueueItem<J, T>, backlog: boolean): void {
    item.state = 'ready';
    item.backlog = backlog;
    (backlog ? this.#backlog : this.#live).push(item);
    this.#onReady();
  }

  #delay(item: QueueItem<J, T>, delayMs: number): void {
    item.state = 'waiting';
    this.#waiting.push(item, this.#clock.monotonicMs() + Math.max(0, delayMs));
    this.#arm();
  }

  /** The timer is never later than the earliest item; earlier, when that was taken out, does no harm. */
  #arm(): void {
    const earliest = this.#waiting.earliest;
    if (earliest === undefined || earliest.dueMs >= this.#timerDueMs) return;
    this.#disarm();
    this.#timerDueMs = earliest.dueMs;
    this.#timer = this.#clock.schedule(earliest.dueMs - this.#clock.monotonicMs(), () => this.#onTimer());
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerDueMs = Number.POSITIVE_INFINITY;
  }

  #onTimer(): void {
    this.#timer = undefined;
    this.#timerDueMs = Number.POSITIVE_INFINITY;
    const nowMs = this.#clock.monotonicMs();
    for (let count = 0; count < dueAtOnce; count++) {
      const item = this.#waiting.earliest;
      if (item === undefined || item.dueMs > nowMs) break;
      this.#waiting.remove(item);
      this.#makeReady(item, item.backlog);
    }
    this.#arm();
  }
}
