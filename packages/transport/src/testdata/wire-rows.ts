import { readFileSync } from 'node:fs';
import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import { wire } from '@cosi-ts/proto';

export interface WireMessage {
  readonly bytes: string;
  readonly json?: unknown;
}

/** One recorded call of the golden vectors. */
export interface WireRow {
  readonly scenario: string;
  readonly step: number;
  readonly name: string;
  readonly rpc: 'Get' | 'List' | 'Create' | 'Update' | 'Destroy' | 'Watch' | 'Teardown' | 'TeardownAndDestroy';
  readonly from: 'go-client' | 'plain';
  readonly request: WireMessage;
  readonly responses: readonly WireMessage[];
  readonly status: { readonly code: number; readonly name: string; readonly message: string } | string;
}

const file = new URL('../../../../tools/vectors/wire.json', import.meta.url);

export const wireRows = (JSON.parse(readFileSync(file, 'utf8')) as { readonly rows: readonly WireRow[] }).rows;

export function bytesOf(message: WireMessage): Uint8Array {
  return new Uint8Array(Buffer.from(message.bytes, 'base64'));
}

export function read<Desc extends DescMessage>(schema: Desc, bytes: Uint8Array): MessageShape<Desc> {
  return fromBinary(schema, bytes);
}

/** The resources in a message, as far as two implementations must agree on them: times are of their moment. */
export function comparable(resource: wire.Resource | undefined): unknown {
  if (resource === undefined) return undefined;
  const { metadata, spec } = resource;
  return {
    metadata: metadata && {
      namespace: metadata.namespace,
      type: metadata.type,
      id: metadata.id,
      version: metadata.version,
      owner: metadata.owner,
      phase: metadata.phase,
      hasCreated: metadata.created !== undefined,
      hasUpdated: metadata.updated !== undefined,
      finalizers: metadata.finalizers,
      labels: { ...metadata.labels },
      annotations: { ...metadata.annotations },
    },
    spec: spec && { protoSpec: comparableBytes(spec.protoSpec, metadata?.type ?? ''), yamlSpec: spec.yamlSpec },
  };
}

/** The types whose specs hold maps. Their entries have no order, and the peer encodes them anew each time. */
const withMaps: ReadonlySet<string> = new Set(
  ['Documents', 'Envelopes', 'Gauges'].map((name) => `${name}.vectors.test`),
);

function comparableBytes(bytes: Uint8Array, type: string): string {
  return Buffer.from(withMaps.has(type) ? bytes.toSorted() : bytes).toString('hex');
}

/** The events in a message, as far as two implementations must agree on them. */
export function comparableEvents(message: Uint8Array, bookmarks: boolean): unknown {
  return read(wire.WatchResponseSchema, message).event.map((event) => ({
    type: wire.EventType[event.eventType],
    resource: comparable(event.resource),
    old: comparable(event.old),
    hasError: event.error !== undefined,
    ...(bookmarks && { hasBookmark: event.bookmark !== undefined }),
  }));
}
