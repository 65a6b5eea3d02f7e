import { type JsonValue, toJson } from '@bufbuild/protobuf';
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { StructSchema } from '@bufbuild/protobuf/wkt';
import {
  type AnyResourceType,
  CorruptError,
  type DeepReadonly,
  defineResource,
  InvalidArgumentError,
  NamespaceType,
  ResourceDefinitionType,
  type SpecCodec,
  type JsonValue as SpecJson,
} from '@cosi-ts/resource';
import { MetadataSchema } from '../gen/cosi/resource/resource_pb.js';
import { messageSpec } from '../message-spec.js';
import { type Gauge, GaugeSchema } from './gen/vectors/test/gauges_pb.js';
import { toBase64 } from './vectors.js';

/** A codec of specs with one value in them, whose bytes are no protobuf message. */
function plainSpec<T>(
  blank: T,
  encode: (value: T) => Uint8Array,
  decode: (bytes: Uint8Array) => T,
): SpecCodec<{ value: T }> {
  const parse = (spec: { value: T }) => Object.freeze({ value: spec.value });
  return {
    parse,
    blank: () => ({ value: blank }),
    draft: (spec) => ({ ...spec }),
    equals: (a, b) => a.value === b.value,
    toJson: () => ({ valuegetset: {} }),
    fromJson: (_json: SpecJson) => {
      throw new InvalidArgumentError('spec: the printed form holds nothing');
    },
    binary: { encode: (spec) => encode(spec.value), decode: (bytes) => parse({ value: decode(bytes) }) },
  };
}

const Path = defineResource({
  type: 'os/path',
  namespace: 'default',
  spec: {
    ...plainSpec<null>(
      null,
      () => new Uint8Array(0),
      (bytes) => {
        if (bytes.length > 0) throw new CorruptError('a path has no spec');
        return null;
      },
    ),
    toJson: () => ({}),
  },
});

const Int = defineResource({
  type: 'test/int',
  namespace: 'default',
  spec: plainSpec<bigint>(
    0n,
    (value) => new BinaryWriter().sint64(value).finish(),
    (bytes) => (bytes.length === 0 ? 0n : BigInt(new BinaryReader(bytes).sint64())),
  ),
});

const Str = defineResource({
  type: 'test/str',
  namespace: 'default',
  spec: plainSpec<string>(
    '',
    (value) => new TextEncoder().encode(value),
    (bytes) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
  ),
});

export const Envelope = defineResource({
  type: 'Envelopes.vectors.test',
  namespace: 'default',
  spec: messageSpec(MetadataSchema),
});

/** The Struct as a message. */
export const Document = defineResource({
  type: 'Documents.vectors.test',
  namespace: 'default',
  spec: messageSpec(StructSchema),
});

/** The same as plain JSON, which is a Struct on the wire too. */
export const PlainDocument = defineResource({ type: 'Documents.vectors.test', namespace: 'default' });

export const Gauges = defineResource({
  type: 'Gauges.vectors.test',
  namespace: 'default',
  spec: messageSpec(GaugeSchema),
});

export const declared: ReadonlyMap<string, AnyResourceType> = new Map<string, AnyResourceType>(
  [Path, Int, Str, Envelope, Document, Gauges, NamespaceType, ResourceDefinitionType].map((type) => [type.type, type]),
);

/** A spec as the vectors show it. */
export function specRow(type: string, spec: unknown): unknown {
  switch (type) {
    case Path.type:
      return null;
    case Int.type:
      return String((spec as { value: bigint }).value);
    case Str.type:
      return (spec as { value: string }).value;
    case Envelope.type:
      return toJson(MetadataSchema, spec as never);
    case Document.type:
      return toJson(StructSchema, spec as never);
    case Gauges.type:
      return gaugeRow(spec as DeepReadonly<Gauge>);
    case NamespaceType.type:
      return spec;
    case ResourceDefinitionType.type:
      return { sensitivity: '', ...(spec as object) };
    default:
      throw new Error(`no vectors have specs of ${type}`);
  }
}

function gaugeRow(gauge: DeepReadonly<Gauge>): JsonValue {
  const part = (value: DeepReadonly<Gauge['part']>) => ({
    label: value?.label ?? '',
    value: String(value?.value ?? 0n),
  });
  const { at, every } = gauge;
  return {
    name: gauge.name,
    count: String(gauge.count),
    small: gauge.small,
    unsigned: String(gauge.unsigned),
    ratio: gauge.ratio,
    on: gauge.on,
    at: at === undefined ? '0001-01-01T00:00:00Z' : timeText(at.seconds, at.nanos),
    everyNanoseconds: String((every?.seconds ?? 0n) * 1_000_000_000n + BigInt(every?.nanos ?? 0)),
    tags: [...gauge.tags],
    points: gauge.points.map(String),
    pairs: Object.fromEntries(Object.entries(gauge.pairs).map(([key, value]) => [key, String(value)])),
    part: part(gauge.part),
    maybe: gauge.maybe === undefined ? null : part(gauge.maybe),
    raw: toBase64(gauge.raw as Uint8Array),
    single: gauge.single,
    parts: gauge.parts.map(part),
    fixed: String(gauge.fixed),
    tiny: gauge.tiny,
    word: gauge.word,
  };
}

function timeText(seconds: bigint, nanos: number): string {
  const whole = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return `${whole}.${String(nanos).padStart(9, '0')}`.replace(/\.?0*$/, 'Z');
}
