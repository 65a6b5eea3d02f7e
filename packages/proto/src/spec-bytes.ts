import type { AnyResourceType } from '@cosi-ts/resource';
import { builtinBinary } from './builtin-specs.js';
import { decodeStruct, encodeStruct } from './struct-spec.js';

/**
 * The bytes of a spec: what the declaration's own binary codec makes, the message of a built-in type, or else the
 * printed form as a `google.protobuf.Struct`.
 */
export function encodeSpecBytes(declaration: AnyResourceType, value: unknown): Uint8Array {
  const { codec, type } = declaration;
  if (codec.binary !== undefined) return codec.binary.encode(value);
  const json = codec.toJson(value);
  const builtin = builtinBinary(type);
  return builtin === undefined ? encodeStruct(json) : builtin.encode(json);
}

/** The way back. Throws `corrupt`, `invalid-argument`, or what the declaration's own codec throws. */
export function decodeSpecBytes(declaration: AnyResourceType, bytes: Uint8Array): unknown {
  const { codec, type } = declaration;
  if (codec.binary !== undefined) return codec.binary.decode(bytes);
  const builtin = builtinBinary(type);
  return codec.fromJson(builtin === undefined ? decodeStruct(bytes) : builtin.decode(bytes));
}
