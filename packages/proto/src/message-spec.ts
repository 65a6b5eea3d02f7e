import {
  clone,
  create,
  createRegistry,
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
import { isFieldError } from '@bufbuild/protobuf/reflect';
import { CorruptError, InvalidArgumentError, isCosiError, type JsonValue, type SpecCodec } from '@cosi-ts/resource';
import { freezeMessage, maxSpecDepth } from './freeze-message.js';
import { messageOf } from './message-of.js';
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

  const keep = (message: Shape): Shape => {
    freezeMessage(message);
    made.add(message);
    return message;
  };

  const decode = (bytes: Uint8Array): Shape => {
    try {
      return keep(fromBinary(schema, bytes, { recursionLimit: maxSpecDepth }));
    } catch (cause) {
      throw new CorruptError(`the bytes are no ${schema.typeName}: ${messageOf(cause)}`, { cause });
    }
  };

  const parse = (input: MessageInitShape<Desc> | Shape): Shape => {
    if (typeof input !== 'object' || input === null) {
      throw new InvalidArgumentError(`spec: a ${schema.typeName} must be an object`);
    }
    if (made.has(input)) return input as Shape;
    if (isMessage(input) && !isMessage(input, schema)) {
      throw new InvalidArgumentError(`spec: a ${input.$typeName} is no ${schema.typeName}`);
    }
    // The copy is not only for safety: reading and setting every field checks it.
    return checked(() => keep(clone(schema, create(schema, input))));
  };

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
    fromJson: (json) => checked(() => keep(fromJson(schema, json as ProtoJsonValue, registry))),
    binary: { encode: (spec) => toBinary(schema, spec), decode },
  };
}

/** Turns the errors of the protobuf library, which speak of fields, into `invalid-argument`. */
function checked<T>(make: () => T): T {
  try {
    return make();
  } catch (cause) {
    if (isCosiError(cause)) throw cause;
    const where = isFieldError(cause) ? `${cause.field()}: ` : '';
    throw new InvalidArgumentError(`spec: ${where}${messageOf(cause)}`, { cause });
  }
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
