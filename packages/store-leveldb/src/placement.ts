import type { Resource } from '@cosi-ts/resource';
import type { Clock } from '@cosi-ts/state';
import type { Commit, Marshaler, RecordPlace, StoreChange } from '@cosi-ts/state-inmem';
import type { EventRecord } from './event-record.js';
import { RecentRecords } from './recent-records.js';

/** A change that waits for its batch. */
export interface PendingWrite {
  readonly change: StoreChange;
  readonly commit: Commit;
  readonly key: Buffer;
  readonly keyChecksum: number;
  /** What will be stored under the key; undefined when it will be removed. */
  readonly record: Uint8Array | undefined;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** A change with its place in the log. */
export interface PlacedWrite {
  readonly pending: PendingWrite;
  readonly position: number;
  readonly event: EventRecord;
}

/** Makes the events of writes. */
export class Placement {
  readonly #marshaler: Marshaler;
  readonly #clock: Clock;
  readonly #recent = new RecentRecords();

  constructor(marshaler: Marshaler, clock: Clock) {
    this.#marshaler = marshaler;
    this.#clock = clock;
  }

  /**
   * Gives writes the positions from `start` on. Those whose event cannot be marshaled are rejected, and take none. At
   * once where the marshaler answers at once.
   */
  place(pending: readonly PendingWrite[], start: number): readonly PlacedWrite[] | Promise<readonly PlacedWrite[]> {
    const timeMs = this.#clock.now().toDate().getTime();
    const failed = new Map<PendingWrite, unknown>();
    const placed = pending.map((write, i) => {
      try {
        const result = this.#place(write, start + i, timeMs);
        return result instanceof Promise ? result.catch((error: unknown) => void failed.set(write, error)) : result;
      } catch (error) {
        failed.set(write, error);
        return undefined;
      }
    });
    const finish = (ready: readonly (PlacedWrite | undefined)[]) => {
      if (failed.size === 0) return ready as readonly PlacedWrite[];
      // One that failed shifts those after it, whose events may depend on their positions.
      for (const [write, error] of failed) write.reject(error);
      return this.place(
        pending.filter((write) => !failed.has(write)),
        start,
      );
    };
    if (placed.some((each) => each instanceof Promise)) return Promise.all(placed).then(finish);
    return finish(placed as readonly (PlacedWrite | undefined)[]);
  }

  #place(pending: PendingWrite, position: number, timeMs: number): PlacedWrite | Promise<PlacedWrite> {
    const { change, record } = pending;
    const marshaler = this.#marshaler;
    // What a resource is marshaled to for its record serves for its event too, where the place does not matter.
    const place = marshaler.anyPlace === true ? change.resource.metadata : placeOf(change, position);
    const shared = marshaler.anyPlace === true ? record : undefined;
    const resource = shared ?? marshaler.marshal(change.resource, place);
    const old = change.type === 'updated' ? this.#marshalOld(change.old, place) : undefined;
    if (resource instanceof Promise || old instanceof Promise) {
      return Promise.all([resource, old]).then((bytes) => placed(pending, position, timeMs, ...bytes));
    }
    return placed(pending, position, timeMs, resource, old);
  }

  #marshalOld(old: Resource, place: RecordPlace): Uint8Array | Promise<Uint8Array> {
    const known = this.#marshaler.anyPlace === true ? this.#recent.take(old) : undefined;
    return known ?? this.#marshaler.marshal(old, place);
  }

  /** To be told of a write that is durable: the next one may replace what it wrote. */
  done({ change, record }: PendingWrite): void {
    if (change.type === 'updated' && record !== undefined && this.#marshaler.anyPlace === true) {
      this.#recent.add(change.resource, record);
    }
  }
}

function placeOf({ resource }: StoreChange, position: number): RecordPlace {
  const { namespace, type, id } = resource.metadata;
  return { namespace, type, id, position };
}

function placed(
  pending: PendingWrite,
  position: number,
  timeMs: number,
  resource: Uint8Array,
  old: Uint8Array | undefined,
): PlacedWrite {
  const { change, key } = pending;
  const event: EventRecord = {
    type: change.type,
    timeMs,
    subject: new Uint8Array(key.buffer, key.byteOffset + 1, key.length - 1),
    resource,
    old,
  };
  return { pending, position, event };
}
