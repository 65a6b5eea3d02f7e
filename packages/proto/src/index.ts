import * as wire from './wire.js';

export type { TypeLookup } from '@cosi-ts/resource';
export { decodeEvents, type EncodedEvent, EventItem } from './event-codec.js';
export type { Fault } from './malformed.js';
export { type MessageSpecOptions, messageSpec } from './message-spec.js';
export { bytesOf, type PlacedItem } from './placed-bytes.js';
export { decodeGetRequest, encodePointerRequest } from './pointer-request-codec.js';
export {
  type DecodeOptions,
  decodeResource,
  type EncodeOptions,
  type EncodeResourceOptions,
  encodeRecord,
  encodeResource,
  glanceResource,
} from './resource-codec.js';
export { decodeResourceResponse, ResourceResponse } from './resource-response-codec.js';
export {
  fromWireIdQuery,
  fromWireLabelQueries,
  toWireIdQuery,
  toWireLabelQueries,
} from './wire-query.js';
export {
  fromWireMetadata,
  fromWireResource,
  fromWireTombstone,
  toWireMetadata,
  toWireResource,
} from './wire-resource.js';
export {
  decodeCreateRequest,
  decodeUpdateRequest,
  type EncodedCreate,
  type EncodedUpdate,
  encodeCreateRequest,
  encodeUpdateRequest,
} from './write-request-codec.js';
/** The generated messages and the service, under their wire names. */
export { wire };
