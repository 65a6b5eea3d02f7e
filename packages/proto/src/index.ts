import * as wire from './wire.js';

export type { TypeLookup } from '@cosi-ts/resource';
export type { Fault } from './malformed.js';
export { type MessageSpecOptions, messageSpec } from './message-spec.js';
export {
  type DecodeOptions,
  decodeResource,
  type EncodeOptions,
  encodeRecord,
  encodeResource,
} from './resource-codec.js';
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
/** The generated messages and the service, under their wire names. */
export { wire };
