import { readFileSync } from 'node:fs';
import { Metadata, parsePhase, parseVersion, Timestamp } from '@cosi-ts/resource';

export interface VectorMetadata {
  readonly namespace: string;
  readonly type: string;
  readonly id: string;
  readonly version: string;
  readonly owner: string;
  readonly phase: string;
  readonly created: string;
  readonly updated: string;
  readonly finalizers: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface VectorResource {
  readonly metadata: VectorMetadata;
  readonly spec: unknown;
  readonly protoSpec: string;
  readonly yamlSpec: string;
}

export interface RecordRow {
  readonly name: string;
  readonly expect: VectorResource;
  readonly yamlSpecInRecord: string;
  readonly plainLength: number;
  readonly records: readonly { readonly layers: readonly string[]; readonly bytes: string }[];
}

export interface BrokenRecordRow {
  readonly name: string;
  readonly layers: readonly string[];
  readonly bytes: string;
  readonly outcome: 'error' | 'value';
  readonly expect?: VectorResource;
}

export interface WireMessage {
  readonly bytes: string;
  readonly json?: unknown;
}

export interface WireRow {
  readonly scenario: string;
  readonly step: number;
  readonly name: string;
  readonly rpc: string;
  readonly request: WireMessage;
  readonly responses: readonly WireMessage[];
}

export interface LabelTermRow {
  readonly key: string;
  readonly op: string;
  readonly value?: readonly string[];
  readonly invert?: boolean;
}

export interface LabelRow {
  readonly labels: Readonly<Record<string, string>>;
  readonly queries: readonly (readonly LabelTermRow[])[];
  readonly matches: boolean;
  readonly wraps?: boolean;
}

/** The rows of one of the golden vectors. */
export function vectors<Row>(name: string): readonly Row[] {
  const file = new URL(`../../../../tools/vectors/${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { rows: readonly Row[] }).rows;
}

export function fromBase64(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'));
}

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

export function metadataOf(row: VectorMetadata): Metadata {
  return new Metadata({
    ...row,
    version: parseVersion(row.version),
    phase: parsePhase(row.phase),
    created: Timestamp.parse(row.created),
    updated: Timestamp.parse(row.updated),
  });
}

/** In the form of the vectors, for comparisons that show what differs. */
export function metadataRow(metadata: Metadata): VectorMetadata {
  return {
    namespace: metadata.namespace,
    type: metadata.type,
    id: metadata.id,
    version: metadata.version === undefined ? 'undefined' : metadata.version.toString(),
    owner: metadata.owner,
    phase: metadata.phase,
    created: metadata.created.toString(),
    updated: metadata.updated.toString(),
    finalizers: [...metadata.finalizers],
    labels: { ...metadata.labels },
    annotations: { ...metadata.annotations },
  };
}
