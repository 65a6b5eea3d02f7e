import type { Pointer, Resource, Timestamp, Version } from '@cosi-ts/resource';

/** What a record is and where it lies, for marshalers that bind it to its place and for messages about it. */
export interface RecordPlace extends Pointer {
  /** The position in the event log, when the record belongs to an event there. Absent: the record of a stored resource. */
  readonly position?: number;
}

/** What can be seen of a record at a glance. */
export interface RecordGlance {
  readonly version: Version;
  /** The later one of the two times. */
  readonly newest: Timestamp;
}

/**
 * Turns resources into the bytes that a store keeps, and back. Marshalers wrap each other: one that compresses or
 * encrypts is given the one whose bytes it works on, and knows nothing of what is in them. Records that a stack of them
 * wrote are read by the same stack.
 *
 * Both directions may answer at once or with a promise; who calls must not assume either. They may be called many times
 * at once.
 */
export interface Marshaler {
  /** The bytes belong to the caller. */
  marshal(resource: Resource, place: RecordPlace): Uint8Array | Promise<Uint8Array>;
  /**
   * The bytes are given away: nobody changes them any more, neither the caller nor the marshaler, and the resource may
   * hold on to them. The resource has the pointer that is in the bytes: comparing it with the place is the store's
   * business.
   *
   * Throws `corrupt`, with the place as its subject and in its message, when the bytes are not what a marshaler like this
   * one wrote for that place. It never gives a resource that is not the one that was marshaled.
   */
  unmarshal(bytes: Uint8Array, place: RecordPlace): Resource | Promise<Resource>;
  /**
   * Looks at a record without making a resource of it. What it gives says that {@link unmarshal} gives a resource of that
   * very place, and at once. Undefined when that is not certain: unmarshaling tells. Absent: it never is. A marshaler that
   * wraps another one asks that for records that it has left as they were, and for no others.
   */
  glance?(bytes: Uint8Array, place: RecordPlace): RecordGlance | undefined;
  /**
   * False for a record that {@link unmarshal} reads and {@link marshal} would write otherwise today, with a newer key for
   * instance: a store can then write it again. Absent: all are current.
   */
  isCurrent?(bytes: Uint8Array, place: RecordPlace): boolean | Promise<boolean>;
  /**
   * True when the bytes do not depend on the place: a store can then marshal a resource once, for its record and for its
   * event. Absent: they may. A marshaler that wraps another one says it for itself.
   */
  readonly anyPlace?: true;
}
