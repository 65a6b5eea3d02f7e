import { type DescEnum, type DescField, type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import { FeatureSet_FieldPresence, isWrapperDesc } from '@bufbuild/protobuf/wkt';
import { ByteWriter } from './byte-writer.js';
import { keptSlabBytes, Slabs } from './slabs.js';

/** Writes what a valid message holds. */
type WriteMessage = (writer: ByteWriter, message: Message) => void;

/** Writes a value, with what stands before it. */
type WriteValue = (writer: ByteWriter, value: unknown) => void;

/** The messages whose writers are being made, which can hold each other. */
type Schemas = Map<DescMessage, { write?: WriteMessage }>;

/** What is no message in memory, but the JSON that it stands for. (Wrappers are the values that they hold.) */
const jsonForms: ReadonlySet<string> = new Set(
  ['Struct', 'Value', 'ListValue'].map((name) => `google.protobuf.${name}`),
);

const writer = new ByteWriter();
/** The bytes of a spec stay for as long as it does. */
const slabs = new Slabs(keptSlabBytes);

/**
 * How messages of a schema are encoded: to the bytes that the protobuf library's `toBinary` gives, in a third of the time,
 * for messages that were checked when they were made. Undefined for schemas that hold anything but texts, booleans,
 * integers, enums, messages, lists of texts and messages, and maps from text to text: those are left to the library.
 */
export function messageEncoder(schema: DescMessage): ((message: Message) => Uint8Array) | undefined {
  const write = messageWriter(schema, new Map());
  if (write === undefined) return undefined;
  return (message) => {
    try {
      write(writer, message);
      return writer.finish(slabs);
    } catch (error) {
      // It holds half a message.
      writer.clear();
      throw error;
    }
  };
}

function messageWriter(schema: DescMessage, schemas: Schemas): WriteMessage | undefined {
  if (isWrapperDesc(schema) || jsonForms.has(schema.typeName)) return undefined;
  const known = schemas.get(schema);
  if (known !== undefined) return (writer, message) => known.write?.(writer, message);
  const own: { write?: WriteMessage } = {};
  schemas.set(schema, own);
  const writers: WriteMessage[] = [];
  for (const field of [...schema.fields].sort((a, b) => a.number - b.number)) {
    const write = fieldWriter(field, schemas);
    if (write === undefined) return undefined;
    writers.push(write);
  }
  own.write = (writer, message) => {
    for (const write of writers) write(writer, message);
    for (const { no, wireType, data } of message.$unknown ?? []) writer.uint32(((no << 3) | wireType) >>> 0).raw(data);
  };
  return own.write;
}

function fieldWriter(field: DescField, schemas: Schemas): WriteMessage | undefined {
  const { localName: name } = field;
  if (field.fieldKind === 'map') return mapWriter(field);
  const write = valueWriter(field, schemas);
  if (write === undefined) return undefined;
  if (field.fieldKind === 'list') {
    return (writer, message) => {
      for (const item of partOf(message, name) as readonly unknown[]) write(writer, item);
    };
  }
  if (field.oneof !== undefined) {
    const group = field.oneof.localName;
    return (writer, message) => {
      const chosen = partOf(message, group) as { readonly case?: string; readonly value?: unknown };
      if (chosen.case === name) write(writer, chosen.value);
    };
  }
  if (field.presence === FeatureSet_FieldPresence.LEGACY_REQUIRED) return undefined;
  if (field.presence !== FeatureSet_FieldPresence.IMPLICIT) {
    return (writer, message) => {
      const value = partOf(message, name);
      if (value !== undefined && Object.hasOwn(message, name)) write(writer, value);
    };
  }
  const zero = field.fieldKind === 'enum' ? firstOf(field.enum) : zeros[field.scalar as keyof typeof zeros];
  return (writer, message) => {
    const value = partOf(message, name);
    if (value !== zero) write(writer, value);
  };
}

function partOf(message: Message, name: string): unknown {
  return (message as unknown as Readonly<Record<string, unknown>>)[name];
}

function firstOf({ values }: DescEnum): number | undefined {
  return values[0]?.number;
}

/** The kinds of values that are written here, with their zero values. */
const zeros = {
  [ScalarType.STRING]: '',
  [ScalarType.BOOL]: false,
  [ScalarType.INT32]: 0,
  [ScalarType.UINT32]: 0,
  [ScalarType.INT64]: 0n,
  [ScalarType.UINT64]: 0n,
};

/** How one value of a field is written, be it the only one or one of a list. */
function valueWriter(field: DescField & { fieldKind: Exclude<DescField['fieldKind'], 'map'> }, schemas: Schemas) {
  const { message, scalar } = field;
  if (message !== undefined) return field.delimitedEncoding ? undefined : nestedWriter(field.number, message, schemas);
  // Numbers in lists are packed, or not.
  if (field.fieldKind === 'list' && scalar !== ScalarType.STRING) return undefined;
  return scalarWriter(field.number, scalar ?? ScalarType.INT32, 'longAsString' in field && field.longAsString);
}

function nestedWriter(number: number, schema: DescMessage, schemas: Schemas): WriteValue | undefined {
  const tag = lengthTag(number);
  const write = messageWriter(schema, schemas);
  if (write === undefined) return undefined;
  return (writer, message) => {
    const begin = writer.uint32(tag).begin();
    write(writer, message as Message);
    writer.end(begin);
  };
}

function scalarWriter(number: number, scalar: ScalarType, longAsString: boolean): WriteValue | undefined {
  const tag = ((number << 3) | WireType.Varint) >>> 0;
  switch (scalar) {
    case ScalarType.STRING:
      return (writer, value) => writer.uint32(lengthTag(number)).string(value as string);
    case ScalarType.BOOL:
      return (writer, value) => writer.uint32(tag).uint32(Number(value));
    case ScalarType.INT32:
    case ScalarType.UINT32:
      return (writer, value) => writer.uint32(tag).int64(value as number);
    case ScalarType.INT64:
    case ScalarType.UINT64:
      return longAsString ? undefined : (writer, value) => writer.uint32(tag).bigint(value as bigint);
    default:
      return undefined;
  }
}

function mapWriter(field: DescField & { fieldKind: 'map' }): WriteMessage | undefined {
  if (field.mapKey !== ScalarType.STRING || field.scalar !== ScalarType.STRING) return undefined;
  const { localName: name } = field;
  const tag = lengthTag(field.number);
  const [keyTag, valueTag] = [lengthTag(1), lengthTag(2)];
  return (writer, message) => {
    const map = partOf(message, name) as Readonly<Record<string, string>>;
    for (const key of Object.keys(map)) {
      const begin = writer.uint32(tag).begin();
      writer.uint32(keyTag).string(key);
      writer.uint32(valueTag).string(map[key] as string);
      writer.end(begin);
    }
  };
}

function lengthTag(number: number): number {
  return ((number << 3) | WireType.LengthDelimited) >>> 0;
}
