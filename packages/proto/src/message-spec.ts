import {
  clone,
  create,
  createRegistry,
  type DescField,
  type DescMessage,
  equals,
  fromBinary,
  fromJson,
  isMessage,
  type MessageInitShape,
  type MessageShape,
  type JsonValue as ProtoJsonValue,
  type Registry,
  ScalarType,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import {
  CorruptError,
  InvalidArgumentError,
  invalidSpec,
  isCosiError,
  type JsonValue,
  type SpecCodec,
  specPathText,
} from '@cosi-ts/resource';
import { type Attempt, faultPath } from './fault-path.js';
import { flatCheck } from './flat-message.js';
import { freezeMessage, maxSpecDepth, nestedTooDeep } from './freeze-message.js';
import { messageOf } from './message-of.js';
import { messageEncoder } from './message-writer.js';
import { missingField } from './required-fields.js';
import { sameBytes } from './same-bytes.js';

/** Without extensions to know, all fields beyond the schema are compared as unknown ones. */
const noExtensions = createRegistry();

export interface MessageSpecOptions {
  /** Where the types of `google.protobuf.Any` and extensions are found for the printed form. Default: none. */
  readonly registry?: Registry;
}

/**
 * The codec of specs that are protobuf messages, for `defineResource({ …, spec: messageSpec(VMConfigSpecSchema) })`.
 *
 * A spec is a frozen message. Fields that this schema does not know are kept, through drafts too, and count when specs
 * are compared. Byte fields give a copy at every read. The printed form is protobuf JSON: fields with zero values are
 * left out, and 64-bit integers are text there.
 */
export function messageSpec<Desc extends DescMessage>(
  schema: Desc,
  options: MessageSpecOptions = {},
): SpecCodec<MessageShape<Desc>, MessageInitShape<Desc>> {
  type Shape = MessageShape<Desc>;
  /** Values that were made here. */
  const made = new WeakSet<object>();
  const registry = options.registry === undefined ? {} : { registry: options.registry };
  const floats = holdsFloats(schema);

  const findMissing = missingField(schema);
  const encode = messageEncoder(schema) ?? ((spec: Shape) => toBinary(schema, spec));
  const read = (bytes: Uint8Array): Shape => fromBinary(schema, bytes, { recursionLimit: maxSpecDepth });

  /** @param wasRead whether it came from bytes, and so can be read from bytes again */
  const keep = (message: Shape, wasRead = false): Shape => {
    const missing = wasRead ? undefined : findMissing?.(message);
    if (missing !== undefined) throw invalidSpec(missing, 'is required');
    const longestPath = freezeMessage(message);
    if (!wasRead && 2 * longestPath > maxSpecDepth - 4) checkReadable(message);
    made.add(message);
    return message;
  };

  /** How deep a message nests when it is encoded depends on its types: reading it tells. */
  const checkReadable = (message: Shape): void => {
    try {
      read(encode(message));
    } catch {
      // It was valid so far, and so cannot fail for another reason.
      throw nestedTooDeep([]);
    }
  };

  const decode = (bytes: Uint8Array): Shape => {
    try {
      return keep(read(bytes), true);
    } catch (cause) {
      throw new CorruptError(`the bytes are no ${schema.typeName}: ${messageOf(cause)}`, { cause });
    }
  };

  const isValid = flatCheck(schema);

  const fromInit: Attempt = (desc, init) => {
    const message = create(desc, init);
    if (desc === schema && message !== init && isValid?.(message) === true) return message;
    // The copy is not only for safety: reading and setting every field checks it.
    return clone(desc, message);
  };

  const parse = (input: MessageInitShape<Desc> | Shape): Shape => {
    if (typeof input !== 'object' || input === null) throw invalidSpec([], 'must be an object');
    if (made.has(input)) return input as Shape;
    if (isMessage(input) && !isMessage(input, schema)) {
      throw invalidSpec([], `is a ${input.$typeName}, not a ${schema.typeName}`);
    }
    return make(input, fromInit, isNamedInInit);
  };

  /** Makes a value. The errors of the protobuf library become `invalid-argument`, with the way to the fault. */
  const make = (input: unknown, attempt: Attempt, isNamed: (field: DescField, key: string) => boolean): Shape => {
    try {
      return keep(attempt(schema, input as Readonly<Record<string, unknown>>) as Shape);
    } catch (cause) {
      if (isCosiError(cause)) throw cause;
      const path = faultPath(schema, input, attempt, isNamed);
      throw new InvalidArgumentError(`${specPathText(path)}: ${reasonOf(cause)}`, { cause, path });
    }
  };

  const fromJsonValue: Attempt = (desc, json) =>
    fromJson(desc, json as ProtoJsonValue, { ...registry, recursionLimit: 2 * maxSpecDepth });

  return {
    parse,
    blank: () => create(schema),
    draft: (spec) => clone(schema, spec),
    // NaN differs from itself, but a spec that holds one is still equal to its copy.
    equals: (a, b) =>
      a === b ||
      equals(schema, a, b, { unknown: true, registry: noExtensions }) ||
      (floats && sameBytes(toBinary(schema, a), toBinary(schema, b))),
    toJson: (spec) => toJson(schema, spec, registry) as JsonValue,
    fromJson: (json) => make(json, fromJsonValue, isNamedInJson),
    binary: { encode, decode },
  };
}

const isNamedInInit = (field: DescField, key: string) => field.localName === key;

const isNamedInJson = (field: DescField, key: string) => field.jsonName === key || field.name === key;

/** What is wrong with the innermost field, without the names of the fields around it. */
function reasonOf(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  return messageOf(inner);
}

function holdsFloats(schema: DescMessage, seen: Set<DescMessage> = new Set()): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  return schema.fields.some(
    (field) =>
      field.scalar === ScalarType.DOUBLE ||
      field.scalar === ScalarType.FLOAT ||
      (field.message !== undefined && holdsFloats(field.message, seen)),
  );
}
