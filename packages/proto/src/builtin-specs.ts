import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type BinaryCodec, CorruptError, InvalidArgumentError, type JsonValue } from '@cosi-ts/resource';
import {
  NamespaceSpecSchema,
  ResourceDefinitionSpecSchema,
  ResourceDefinitionSpec_Sensitivity as Sensitivity,
} from './gen/cosi/resource/meta/meta_pb.js';
import { messageOf } from './message-of.js';

/** The form that the built-in types' codecs print and read: keys as in their YAML. */
type Fields = { readonly [key: string]: JsonValue };

const namespaceBinary: BinaryCodec<JsonValue> = {
  encode(json) {
    const { description } = json as Fields;
    return toBinary(NamespaceSpecSchema, create(NamespaceSpecSchema, { description: text(description) }));
  },
  decode(bytes) {
    return { description: fromBinary(NamespaceSpecSchema, bytes).description };
  },
};

const definitionBinary: BinaryCodec<JsonValue> = {
  encode(json) {
    const fields = json as Fields;
    const spec = create(ResourceDefinitionSpecSchema, {
      resourceType: text(fields.type),
      displayType: text(fields.displayType),
      defaultNamespace: text(fields.defaultNamespace),
      aliases: list(fields.aliases).map(text),
      allAliases: list(fields.allAliases).map(text),
      printColumns: list(fields.printColumns).map((column) => {
        const { name, jsonPath } = column as Fields;
        return { name: text(name), jsonPath: text(jsonPath) };
      }),
      sensitivity: fields.sensitivity === 'sensitive' ? Sensitivity.SENSITIVE : Sensitivity.NON_SENSITIVE,
    });
    return toBinary(ResourceDefinitionSpecSchema, spec);
  },
  decode(bytes) {
    const spec = fromBinary(ResourceDefinitionSpecSchema, bytes);
    return {
      type: spec.resourceType,
      displayType: spec.displayType,
      defaultNamespace: spec.defaultNamespace,
      aliases: spec.aliases,
      allAliases: spec.allAliases,
      printColumns: spec.printColumns.map(({ name, jsonPath }) => ({ name, jsonPath })),
      ...sensitivity(spec.sensitivity),
    };
  },
};

function sensitivity(value: Sensitivity): Fields {
  switch (value) {
    case Sensitivity.NON_SENSITIVE:
      return {};
    case Sensitivity.SENSITIVE:
      return { sensitivity: 'sensitive' };
    default:
      throw new CorruptError(`unsupported sensitivity ${value}`);
  }
}

function text(value: JsonValue | undefined): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') throw new InvalidArgumentError(`spec: ${JSON.stringify(value)} is no text`);
  return value;
}

function list(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new InvalidArgumentError(`spec: ${JSON.stringify(value)} is no list`);
  return value;
}

/** Reports bytes that are no such message as `corrupt`. */
function guarded(binary: BinaryCodec<JsonValue>, type: string): BinaryCodec<JsonValue> {
  return {
    encode: binary.encode,
    decode(bytes) {
      try {
        return binary.decode(bytes);
      } catch (cause) {
        throw new CorruptError(`the bytes are no spec of ${type}: ${messageOf(cause)}`, { cause });
      }
    },
  };
}

const builtins: ReadonlyMap<string, BinaryCodec<JsonValue>> = new Map(
  Object.entries({
    'Namespaces.meta.cosi.dev': namespaceBinary,
    'ResourceDefinitions.meta.cosi.dev': definitionBinary,
  }).map(([type, binary]) => [type, guarded(binary, type)]),
);

/** How the printed form of a built-in type's spec becomes bytes, because its declaration knows nothing of protobuf. */
export function builtinBinary(type: string): BinaryCodec<JsonValue> | undefined {
  return builtins.get(type);
}
