import { CorruptError, isCorrupt, pointerText, type Resource, samePointer } from '@cosi-ts/resource';
import type { Marshaler, RecordPlace } from '@cosi-ts/state-inmem';

/**
 * What a record holds. Throws `corrupt`, with the place as its subject and in its message, when it cannot be read or
 * holds another resource. A failure of the marshaler that says nothing about the record (no key to be had) stays as it is.
 */
export function unmarshalAt(marshaler: Marshaler, bytes: Uint8Array, place: RecordPlace): Resource | Promise<Resource> {
  try {
    // LevelDB gives every value in memory of its own.
    const result = marshaler.unmarshal(bytes, place);
    if (!(result instanceof Promise)) return checked(result, place);
    return result.then(
      (resource) => checked(resource, place),
      (error: unknown) => {
        throw named(error, place);
      },
    );
  } catch (error) {
    throw named(error, place);
  }
}

/** `type(namespace/id)`, with the event where it is one of the log. */
function placeText(place: RecordPlace): string {
  return place.position === undefined ? pointerText(place) : `${pointerText(place)} in event ${place.position}`;
}

export function damagedRecord(place: RecordPlace, reason: string, cause?: unknown): CorruptError {
  return new CorruptError(`the record of resource ${placeText(place)} is damaged: ${reason}`, {
    subject: place,
    cause,
  });
}

function checked(resource: Resource, place: RecordPlace): Resource {
  if (samePointer(resource.metadata, place)) return resource;
  throw damagedRecord(place, `it holds resource ${pointerText(resource.metadata)}`);
}

/** A marshaler that works on what another one made may not have named the record. */
function named(error: unknown, place: RecordPlace): unknown {
  if (!isCorrupt(error)) return error;
  const { subject } = error;
  return subject !== undefined && 'id' in subject && samePointer(subject, place)
    ? error
    : damagedRecord(place, error.message, error);
}
