import { decodeResource, encodeRecord, glanceResource, type TypeLookup } from '@cosi-ts/proto';
import type { Marshaler } from '@cosi-ts/state-inmem';
import { corruptRecord, reasonOf } from './corrupt-record.js';

export interface ProtobufMarshalerOptions {
  /**
   * The declarations whose specs can print their YAML again: it is left out of their records. Of other types it is
   * kept. Default: none.
   */
  readonly types?: TypeLookup | undefined;
}

/**
 * Writes a resource as a message `cosi.resource.Resource`. Specs are not decoded when a record is read, but when someone
 * reads them.
 */
export function protobufMarshaler(options: ProtobufMarshalerOptions = {}): Marshaler {
  return {
    anyPlace: true,
    marshal: (resource) => encodeRecord(resource, options),
    glance: glanceResource,
    unmarshal: (bytes, place) => {
      try {
        return decodeResource(bytes, { owned: true, likelyId: place.id });
      } catch (cause) {
        throw corruptRecord(place, `cannot be decoded: ${reasonOf(cause)}`, cause);
      }
    },
  };
}
