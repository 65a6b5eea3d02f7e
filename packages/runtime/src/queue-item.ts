/** Items of one kind of work; the id tells them apart. */
export class ItemGroup<J, T> {
  /** What is to be done with the items. */
  readonly job: J;
  readonly items = new Map<string, QueueItem<J, T>>();
  /** False while the group is dropped: its items that are being worked on are forgotten when they end. */
  live = true;

  constructor(job: J) {
    this.job = job;
  }
}

export type ItemState = 'ready' | 'running' | 'waiting';

/** A piece of work. Owned by the queue: others read it. */
export class QueueItem<J, T> {
  readonly group: ItemGroup<J, T>;
  readonly id: string;
  /** The newest that is known about it. */
  value: T;
  state: ItemState = 'ready';
  /** Of the backlog: served after what is not. */
  backlog: boolean;
  /** Failures in a row. */
  failures = 0;
  /** Asked for again while it was running: undefined, or whether by the backlog. */
  again: boolean | undefined = undefined;

  /** Neighbours in the line of ready items. */
  previous: QueueItem<J, T> | undefined = undefined;
  next: QueueItem<J, T> | undefined = undefined;

  /** When it is due, how many were scheduled before it, and where in the heap it is while it waits. */
  dueMs = 0;
  order = 0;
  heapIndex = -1;

  constructor(group: ItemGroup<J, T>, id: string, value: T, backlog: boolean) {
    this.group = group;
    this.id = id;
    this.value = value;
    this.backlog = backlog;
  }
}
