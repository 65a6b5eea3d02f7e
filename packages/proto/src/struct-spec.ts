import { fromBinary, fromJson, type JsonObject, toBinary, toJson } from '@bufbuild/protobuf';
import { StructSchema } from '@bufbuild/protobuf/wkt';
import { CorruptError, InvalidArgumentError, invalidSpec, type JsonValue, type SpecPath } from '@cosi-ts/resource';
import { maxSpecDepth } from './freeze-message.js';
import { messageOf } from './message-of.js';
import { checkSpecText } from './well-formed.js';

// A JSON-like object in another one takes two messages: a Value and the Struct in it.
const recursionLimit = 2 * (maxSpecDepth + 1);

/** A JSON-like object as the bytes of a `google.protobuf.Struct`. */
export function encodeStruct(json: JsonValue): Uint8Array {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw invalidSpec([], 'must be an object');
  }
  checkTexts(json, []);
  try {
    return toBinary(StructSchema, fromJson(StructSchema, json as JsonObject, { recursionLimit }));
  } catch (cause) {
    throw new InvalidArgumentError(`spec: no google.protobuf.Struct: ${messageOf(cause)}`, { cause });
  }
}

export function decodeStruct(bytes: Uint8Array): JsonValue {
  try {
    return toJson(StructSchema, fromBinary(StructSchema, bytes, { recursionLimit })) as JsonValue;
  } catch (cause) {
    throw new CorruptError(`the bytes are no google.protobuf.Struct: ${messageOf(cause)}`, { cause });
  }
}

function checkTexts(json: JsonValue, path: SpecPath): void {
  if (typeof json !== 'object' || json === null) return;
  for (const [key, value] of Object.entries(json)) {
    const at = Array.isArray(json) ? Number(key) : key;
    checkSpecText(key, path, key);
    if (typeof value === 'string') checkSpecText(value, path, at);
    else checkTexts(value, [...path, at]);
  }
}
