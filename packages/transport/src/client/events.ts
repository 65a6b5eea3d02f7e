import { decodeEvents, decodeResource, type EncodedEvent, wire } from '@cosi-ts/proto';
import { CorruptError, type Kind, kindTombstone, type Resource, Timestamp, tombstone } from '@cosi-ts/resource';
import type { ErroredEvent, Event } from '@cosi-ts/state';
import { specificError } from './specific-errors.js';

/**
 * The events of a message. What cannot be read, an event or the rest of the message, is an errored event: others after it
 * are not given.
 */
export function readEvents(message: Uint8Array, kind: Kind): readonly Event[] {
  const events: Event[] = [];
  try {
    for (const event of decodeEvents(message)) events.push(readEvent(event, kind));
  } catch (error) {
    events.push({ type: 'errored', error: error as Error });
  }
  return events;
}

/** Reads an event of a watch. Throws `corrupt` when it is none. */
export function readEvent(encoded: EncodedEvent, kind: Kind): Event {
  // A copy: the message is not to be kept for the sake of a bookmark.
  const bookmark = encoded.bookmark === undefined ? undefined : { bookmark: new Uint8Array(encoded.bookmark) };
  switch (encoded.eventType) {
    case wire.EventType.CREATED:
      return { type: 'created', resource: required(encoded, kind), ...bookmark };
    case wire.EventType.UPDATED: {
      const old = encoded.old === undefined ? undefined : { old: decodeResource(encoded.old) };
      return { type: 'updated', resource: required(encoded, kind), ...old, ...bookmark };
    }
    case wire.EventType.DESTROYED:
      return { type: 'destroyed', resource: destroyed(encoded, kind), ...bookmark };
    case wire.EventType.BOOTSTRAPPED:
      return { type: 'bootstrapped', resource: marker(encoded, kind), ...bookmark };
    case wire.EventType.NOOP:
      return { type: 'noop', resource: marker(encoded, kind), ...bookmark };
    case wire.EventType.ERRORED:
      return errored(encoded.error ?? '', kind);
    default:
      throw new CorruptError(`an event has the unknown type ${String(encoded.eventType)}`, { subject: kind });
  }
}

function required({ resource }: EncodedEvent, kind: Kind): Resource {
  if (resource === undefined) throw new CorruptError('an event has no resource', { subject: kind });
  return decodeResource(resource);
}

/** The last state, or what stands for a resource that was not there when the watch began: it has neither version nor spec. */
function destroyed(event: EncodedEvent, kind: Kind): Resource {
  const resource = required(event, kind);
  const isTombstone = resource.metadata.version === undefined && resource.content.encodedBytes === 0;
  return isTombstone ? asTombstone(resource) : resource;
}

function marker({ resource }: EncodedEvent, kind: Kind): Resource {
  return resource === undefined ? kindTombstone(kind, Timestamp.epoch) : asTombstone(decodeResource(resource));
}

/** Its spec, present and empty on the wire, is not there to be read. */
function asTombstone({ metadata }: Resource): Resource {
  return tombstone(metadata, metadata.created, metadata.version);
}

/** Errors come as text only. That of an overrun has a form that all implementations share. */
function errored(text: string, kind: Kind): ErroredEvent {
  const subject = { namespace: kind.namespace, type: kind.type };
  const isOverrun = text.startsWith('buffer overrun: namespace ');
  return { type: 'errored', error: specificError(isOverrun ? 'overrun' : 'unknown', text, { subject }) };
}
