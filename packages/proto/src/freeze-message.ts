import type { Message, UnknownField } from '@bufbuild/protobuf';
import { type InvalidArgumentError, invalidSpec, type SpecPath } from '@cosi-ts/resource';
import { checkSpecText } from './well-formed.js';

/**
 * How deep messages may nest in a spec as it is encoded, and JSON-like values in a plain one. Deeper ones could not be read
 * back.
 */
export const maxSpecDepth = 1000;

/**
 * Freezes a message and all in it, in place. Byte arrays cannot be frozen: the properties that hold them become
 * accessors that give a copy at every read, so that no reader can change what another one sees.
 *
 * @returns how long the longest path is from the message to one in it, at most. Encoded, a step of it is two messages at
 *   most, as in a `google.protobuf.Struct`
 * @throws `invalid-argument` with the path of text that has a lone surrogate, and for what is nested far too deep
 */
export function freezeMessage(message: object): number {
  return freeze(message, []);
}

function freeze(value: object, path: SpecPath): number {
  if (path.length > 2 * maxSpecDepth) throw nestedTooDeep(path);
  let longest = path.length;
  const isList = Array.isArray(value);
  const isMap = !isList && !('$typeName' in value);
  for (const key of Object.keys(value)) {
    if (isMap) checkSpecText(key, path, key);
    const item = (value as Record<string, unknown>)[key];
    const at = isList ? Number(key) : key;
    if (typeof item === 'string') checkSpecText(item, path, at);
    else if (typeof item !== 'object' || item === null) continue;
    else if (item instanceof Uint8Array) guardBytes(value, key, item);
    else if (key === '$unknown' && !isMap) freezeUnknown(value as Message, item as UnknownField[]);
    else longest = Math.max(longest, freeze(item, [...path, at]));
  }
  Object.freeze(value);
  return longest;
}

export function nestedTooDeep(path: SpecPath): InvalidArgumentError {
  return invalidSpec(path.slice(0, 8), 'is nested too deep');
}

/** Copies of messages share their unknown fields: they are made anew, rather than frozen in the hands of others. */
function freezeUnknown(owner: Message, fields: readonly UnknownField[]): void {
  owner.$unknown = fields.map(({ no, wireType, data }) => {
    const field = { no, wireType, data };
    guardBytes(field, 'data', data.slice());
    return Object.freeze(field);
  });
  Object.freeze(owner.$unknown);
}

function guardBytes(owner: object, key: string, bytes: Uint8Array): void {
  Object.defineProperty(owner, key, { get: () => bytes.slice(), enumerable: true });
}
