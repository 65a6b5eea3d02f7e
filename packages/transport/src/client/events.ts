import { fromWireResource, fromWireTombstone, wire } from '@cosi-ts/proto';
import { CorruptError, type Kind, kindTombstone, type Resource, Timestamp } from '@cosi-ts/resource';
import type { ErroredEvent, Event } from '@cosi-ts/state';
import { specificError } from './specific-errors.js';

/** The events of a message. One that cannot be read ends the watch: others after it are not given. */
export function readEvents(message: wire.WatchResponse, kind: Kind): readonly Event[] {
  const events: Event[] = [];
  for (const event of message.event) {
    try {
      events.push(readEvent(event, kind));
    } catch (error) {
      events.push({ type: 'errored', error: error as Error });
      break;
    }
  }
  return events;
}

/** Reads an event of a watch. Throws `corrupt` when it is none. */
export function readEvent(message: wire.Event, kind: Kind): Event {
  const bookmark = message.bookmark === undefined ? {} : { bookmark: message.bookmark };
  switch (message.eventType) {
    case wire.EventType.CREATED:
      return { type: 'created', resource: required(message, kind), ...bookmark };
    case wire.EventType.UPDATED: {
      const old = message.old === undefined ? {} : { old: fromWireResource(message.old) };
      return { type: 'updated', resource: required(message, kind), ...old, ...bookmark };
    }
    case wire.EventType.DESTROYED:
      return { type: 'destroyed', resource: destroyed(message, kind), ...bookmark };
    case wire.EventType.BOOTSTRAPPED:
      return { type: 'bootstrapped', resource: marker(message, kind), ...bookmark };
    case wire.EventType.NOOP:
      return { type: 'noop', resource: marker(message, kind), ...bookmark };
    case wire.EventType.ERRORED:
      return errored(message.error ?? '', kind);
    default:
      throw new CorruptError(`an event has the unknown type ${String(message.eventType)}`, { subject: kind });
  }
}

function required(message: wire.Event, kind: Kind): Resource {
  if (message.resource === undefined) throw new CorruptError('an event has no resource', { subject: kind });
  return fromWireResource(message.resource);
}

/** The last state, or what stands for a resource that was not there when the watch began: it has neither version nor spec. */
function destroyed(message: wire.Event, kind: Kind): Resource {
  const resource = required(message, kind);
  const { spec } = message.resource as wire.Resource;
  const isEmpty = spec?.protoSpec.length === 0 && spec.yamlSpec === '';
  const isTombstone = isEmpty && resource.metadata.version === undefined;
  return isTombstone ? fromWireTombstone(message.resource as wire.Resource) : resource;
}

function marker(message: wire.Event, kind: Kind): Resource {
  return message.resource === undefined ? kindTombstone(kind, Timestamp.epoch) : fromWireTombstone(message.resource);
}

/** Errors come as text only. That of an overrun has a form that all implementations share. */
function errored(text: string, kind: Kind): ErroredEvent {
  const subject = { namespace: kind.namespace, type: kind.type };
  const isOverrun = text.startsWith('buffer overrun: namespace ');
  return {
    type: 'errored',
    error: specificError(isOverrun ? 'overrun' : 'unknown', text, { subject }),
  };
}
