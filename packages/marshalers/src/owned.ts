import type { Resource } from '@cosi-ts/resource';
import type { Marshaler, RecordPlace } from '@cosi-ts/state-inmem';
import type { MaybePromise } from './maybe-async.js';

/** Reads bytes that nobody else has, in the way that saves a copy where there is one. */
export function unmarshalOwned(inner: Marshaler, bytes: Uint8Array, place: RecordPlace): MaybePromise<Resource> {
  return inner.unmarshalOwned?.(bytes, place) ?? inner.unmarshal(bytes, place);
}
