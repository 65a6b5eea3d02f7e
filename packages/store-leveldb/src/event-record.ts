import type { Pointer } from '@cosi-ts/resource';
import type { StoreChange } from '@cosi-ts/state-inmem';
import { type Allocate, bytesChecksum, frameBytes, seal, unframed } from './checksum.js';
import { subjectPointer } from './keys.js';

/**
 * An event as it lies in the log. The records in it are the marshaler's; the rest is plain, so that who looks for the
 * events of one kind reads no others. As bytes, after the frame: the type of the change (1), the time in milliseconds
 * (a double), the lengths of subject and resource (32 bits each), then subject, resource and old; all little-endian.
 */
export interface EventRecord {
  readonly type: StoreChange['type'];
  /** When it was written, by the wall clock of then. */
  readonly timeMs: number;
  /** Which resource it is about: the bytes that the key of its record has after the first. */
  readonly subject: Uint8Array;
  readonly resource: Uint8Array;
  /** What was replaced. Present for updates, and only there. */
  readonly old?: Uint8Array | undefined;
}

const types: readonly StoreChange['type'][] = ['created', 'updated', 'destroyed'];
const headerBytes = frameBytes + 1 + 8 + 4 + 4;

/** How many bytes the value of an event has. */
export function eventLength({ subject, resource, old }: Omit<EventRecord, 'type' | 'timeMs'>): number {
  return headerBytes + subject.length + resource.length + (old?.length ?? 0);
}

export function encodeEvent(key: Uint8Array, event: EventRecord, allocate: Allocate = Buffer.allocUnsafe): Buffer {
  const { subject, resource, old } = event;
  const value = allocate(eventLength(event));
  value[frameBytes] = types.indexOf(event.type) + 1;
  value.writeDoubleLE(event.timeMs, frameBytes + 1);
  value.writeUInt32LE(subject.length, frameBytes + 9);
  value.writeUInt32LE(resource.length, frameBytes + 13);
  value.set(subject, headerBytes);
  value.set(resource, headerBytes + subject.length);
  if (old !== undefined) value.set(old, headerBytes + subject.length + resource.length);
  return seal(bytesChecksum(key), value);
}

/** Reads what {@link encodeEvent} makes; the parts are views. Undefined when it is damaged. */
export function decodeEvent(key: Uint8Array, value: Uint8Array): EventRecord | undefined {
  const body = unframed(key, value);
  if (body === undefined || body.length < headerBytes - frameBytes) return undefined;
  const type = types[(body[0] as number) - 1];
  const subjectEnd = headerBytes - frameBytes + body.readUInt32LE(9);
  const resourceEnd = subjectEnd + body.readUInt32LE(13);
  if (type === undefined || resourceEnd > body.length) return undefined;
  return {
    type,
    timeMs: body.readDoubleLE(1),
    subject: body.subarray(headerBytes - frameBytes, subjectEnd),
    resource: body.subarray(subjectEnd, resourceEnd),
    old: type === 'updated' ? body.subarray(resourceEnd) : undefined,
  };
}

/** Undefined when the subject is not one. */
export function eventPointer(event: EventRecord): Pointer | undefined {
  return subjectPointer(event.subject);
}
