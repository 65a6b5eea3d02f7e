import { WireType } from '@bufbuild/protobuf/wire';

/** What stands before a field on the wire. Without a wire type: that of text, bytes and messages. */
function tagOf(field: number, wireType: WireType = WireType.LengthDelimited): number {
  return (field << 3) | wireType;
}

/** The tags of `cosi.resource.Metadata`. */
export const metadataTags = {
  namespace: tagOf(1),
  type: tagOf(2),
  id: tagOf(3),
  version: tagOf(4),
  owner: tagOf(5),
  phase: tagOf(6),
  created: tagOf(7),
  updated: tagOf(8),
  finalizer: tagOf(9),
  label: tagOf(10),
  annotation: tagOf(11),
} as const;

/** The highest field number of `cosi.resource.Metadata`. */
export const lastMetadataField = 11;

/** The tags of `google.protobuf.Timestamp`. */
export const timestampTags = { seconds: tagOf(1, WireType.Varint), nanos: tagOf(2, WireType.Varint) } as const;

/** The tags of map entries from text to text. */
export const entryTags = { key: tagOf(1), value: tagOf(2) } as const;

/** The tags of `cosi.resource.Spec`. */
export const specTags = { protoSpec: tagOf(1), yamlSpec: tagOf(2) } as const;

/** The tags of `cosi.resource.Resource`. */
export const resourceTags = { metadata: tagOf(1), spec: tagOf(2) } as const;

/** The highest field number of `cosi.resource.Event`. */
export const lastEventField = 5;

/** The tags of `cosi.resource.Event`. */
export const eventTags = {
  resource: tagOf(1),
  eventType: tagOf(2, WireType.Varint),
  old: tagOf(3),
  error: tagOf(4),
  bookmark: tagOf(5),
} as const;

/** The one field of `cosi.resource.WatchResponse`. */
export const watchResponseTags = { event: tagOf(1) } as const;

/** The one field of the responses to get, list, create and update. */
export const resourceResponseTags = { resource: tagOf(1) } as const;

/** The tags of `cosi.resource.CreateRequest` and `UpdateRequest`, and of their options. */
export const createRequestTags = { resource: tagOf(1), options: tagOf(2) } as const;
export const updateRequestTags = { newResource: tagOf(2), options: tagOf(3) } as const;
export const writeOptionsTags = { owner: tagOf(1), expectedPhase: tagOf(2) } as const;

/** The tags of the requests for one resource. */
export const pointerRequestTags = { namespace: tagOf(1), type: tagOf(2), id: tagOf(3), options: tagOf(4) } as const;
