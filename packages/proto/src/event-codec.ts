import { getTextEncoding } from '@bufbuild/protobuf/wire';
import { ByteReader, type MessageReader } from './byte-reader.js';
import { eventTags, lastEventField, watchResponseTags } from './field-tags.js';
import { EventType } from './gen/cosi/resource/state_pb.js';
import { unreadable } from './malformed.js';
import { type PlacedItem, placeBytes, placedLength, placeHead } from './placed-bytes.js';
import { plainBytes } from './plain-bytes.js';

/** `cosi.resource.Event`, with the resources in it as bytes of `cosi.resource.Resource`. */
export interface EncodedEvent {
  readonly eventType: EventType;
  readonly resource?: Uint8Array | undefined;
  readonly old?: Uint8Array | undefined;
  readonly error?: string | undefined;
  readonly bookmark?: Uint8Array | undefined;
}

/**
 * The event as it stands in a `cosi.resource.WatchResponse`: what it is there, with its tag and length. A message is
 * any number of those one after the other.
 */
export class EventItem implements PlacedItem {
  readonly length: number;
  readonly #event: EncodedEvent;
  readonly #error: Uint8Array | undefined;
  readonly #eventLength: number;

  constructor(event: EncodedEvent) {
    const { eventType, resource, old, error, bookmark } = event;
    this.#event = event;
    this.#error = error === undefined ? undefined : getTextEncoding().encodeUtf8(error);
    this.#eventLength =
      lengthOf(resource) + (eventType === 0 ? 0 : 2) + lengthOf(old) + lengthOf(this.#error) + lengthOf(bookmark);
    this.length = placedLength(this.#eventLength);
  }

  place(target: Uint8Array, from: number): number {
    const { eventType, resource, old, bookmark } = this.#event;
    let at = placeHead(target, from, watchResponseTags.event, this.#eventLength);
    if (resource !== undefined) at = placeBytes(target, at, eventTags.resource, resource);
    if (eventType !== 0) {
      target[at++] = eventTags.eventType;
      target[at++] = eventType;
    }
    if (old !== undefined) at = placeBytes(target, at, eventTags.old, old);
    if (this.#error !== undefined) at = placeBytes(target, at, eventTags.error, this.#error);
    return bookmark === undefined ? at : placeBytes(target, at, eventTags.bookmark, bookmark);
  }
}

function lengthOf(bytes: Uint8Array | undefined): number {
  return bytes === undefined ? 0 : placedLength(bytes.length);
}

/**
 * The events of a `cosi.resource.WatchResponse`. What is bytes in them are views into the message.
 *
 * @throws `corrupt` for what is no such message. Whether the resources are any is not looked at.
 */
export function decodeEvents(message: Uint8Array): readonly EncodedEvent[] {
  const events: EncodedEvent[] = [];
  const source = plainBytes(message);
  const reader = new ByteReader(source);
  try {
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      if (tag === watchResponseTags.event) events.push(reader.message(new EventReader(source)));
      else reader.skip(tag, 1);
    }
  } catch (cause) {
    throw unreadable('the events', cause);
  }
  return events;
}

class EventReader implements EncodedEvent, MessageReader {
  eventType: EventType = EventType.CREATED;
  resource: Uint8Array | undefined = undefined;
  old: Uint8Array | undefined = undefined;
  error: string | undefined = undefined;
  bookmark: Uint8Array | undefined = undefined;
  readonly #source: Uint8Array;

  constructor(source: Uint8Array) {
    this.#source = source;
  }

  read(reader: ByteReader): void {
    for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
      switch (tag) {
        case eventTags.resource:
          this.resource = merged(this.resource, viewOf(this.#source, reader));
          break;
        case eventTags.eventType:
          this.eventType = reader.int32();
          break;
        case eventTags.old:
          this.old = merged(this.old, viewOf(this.#source, reader));
          break;
        case eventTags.error:
          this.error = reader.string();
          break;
        case eventTags.bookmark:
          this.bookmark = viewOf(this.#source, reader);
          break;
        default:
          reader.skip(tag, lastEventField);
      }
    }
  }
}

/** Reads a field of bytes. */
export function viewOf(source: Uint8Array, reader: ByteReader): Uint8Array {
  const start = reader.bytes();
  return source.subarray(start, reader.at);
}

/** A second occurrence of a message goes on where the first one ended, as protobuf wants it. */
export function merged(first: Uint8Array | undefined, second: Uint8Array): Uint8Array {
  if (first === undefined) return second;
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
