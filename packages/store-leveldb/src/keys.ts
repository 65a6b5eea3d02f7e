import { InvalidArgumentError, type Kind, type Pointer } from '@cosi-ts/resource';

/**
 * The keys of the database. The first byte says what lies there; the rest sorts as its parts do. Strings are kept as
 * their UTF-8 bytes, so that resources sort by namespace, type and id in the byte order of UTF-8. A part that another one
 * follows ends in 00 01, and a NUL in it is 00 02: any string is kept exactly, "a" sorts before "a\0" before "a\x01", and
 * the key of a resource is UTF-8 as a whole.
 */
const spaces = Object.freeze({ event: 0x65, meta: 0x6d, namespace: 0x6e, opening: 0x6f, resource: 0x72 });

export type KeySpace = keyof typeof spaces;

/** A part of the database, without its end; both in the order of bytes. */
export interface KeyRange {
  readonly start: Uint8Array;
  readonly end: Uint8Array;
}

const resourceSpace = String.fromCharCode(spaces.resource);
const partEnd = '\0\x01';
// Made once: what builds this package turns the literal into a call that would make it anew each time.
const loneSurrogate = /\p{Surrogate}/u;
const escapedNul = '\0\x02';
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function metaKey(name: string): Buffer {
  return textKey(spaces.meta, name);
}

/** Where it is written down what a namespace holds. */
export function namespaceKey(namespace: string): Buffer {
  return textKey(spaces.namespace, namespace);
}

export function openingKey(ordinal: number): Buffer {
  return numberKey(spaces.opening, ordinal);
}

export function eventKey(position: number): Buffer {
  return numberKey(spaces.event, position);
}

/** @throws `invalid-argument` for a part that UTF-8 cannot express */
export function resourceKey(pointer: Pointer): Buffer {
  return Buffer.from(kindPrefixText(pointer) + wellFormed(pointer.id, pointer));
}

/** All keys that there can be. */
export const everything: KeyRange = { start: Buffer.of(0), end: Buffer.of(0xff) };

/** All of one key space. */
export function spaceRange(space: KeySpace): KeyRange {
  const first = spaces[space];
  return { start: Buffer.of(first), end: Buffer.of(first + 1) };
}

/** Where no key should be. */
export function unusedRanges(): readonly KeyRange[] {
  const used = Object.values(spaces).sort((a, b) => a - b);
  return [-1, ...used].map((space, i) => ({ start: Buffer.of(space + 1), end: Buffer.of(used[i] ?? 0xff) }));
}

/** All resources of a namespace. */
export function namespaceRange(namespace: string): KeyRange {
  const start = Buffer.from(resourceSpace + escaped(namespace) + partEnd);
  const end = Buffer.from(start);
  end[end.length - 1] = 0x02;
  return { start, end };
}

/** The events after one position up to and including another. */
export function eventRange(after: number, through: number): KeyRange {
  return { start: eventKey(after + 1), end: eventKey(through + 1) };
}

/** Reads what {@link eventKey} and {@link openingKey} make; undefined when it is something else. */
export function keyNumber(key: Uint8Array): number | undefined {
  if (key.length !== 9) return undefined;
  const bytes = Buffer.from(key.buffer, key.byteOffset, key.length);
  const number = bytes.readUInt32BE(1) * 2 ** 32 + bytes.readUInt32BE(5);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** Reads what {@link namespaceKey} makes; undefined when it is no text. */
export function keyText(key: Uint8Array): string | undefined {
  return decoded(key.subarray(1));
}

/** Reads what {@link resourceKey} makes; undefined when it is something else. */
export function keyPointer(key: Uint8Array): Pointer | undefined {
  return key[0] === spaces.resource ? subjectPointer(key.subarray(1)) : undefined;
}

/** Longer ids are left to the host's decoder. */
const maxShortId = 64;

/** Room for the characters of an id, by its length: to make text of an array takes a third of what it takes of a view. */
const codesOf: readonly number[][] = Array.from({ length: maxShortId + 1 }, (_, length) => new Array(length).fill(0));

/** The text of an id that lies there; undefined when it is no text. */
export function idText(key: Uint8Array, start: number, end: number): string | undefined {
  const codes = codesOf[end - start];
  if (codes === undefined) return decoded(key.subarray(start, end));
  for (let i = 0; i < codes.length; i++) {
    const code = key[start + i] as number;
    if (code > 0x7f) return decoded(key.subarray(start, end));
    codes[i] = code;
  }
  return String.fromCharCode.apply(undefined, codes);
}

/**
 * What the keys of a kind's resources begin with, as text. It is the same text for one kind in a row.
 *
 * @throws `invalid-argument` for a part that UTF-8 cannot express
 */
export function kindPrefixText(kind: Kind): string {
  // Calls come in runs about one kind.
  if (lastPrefix?.namespace !== kind.namespace || lastPrefix.type !== kind.type) {
    const { namespace, type } = kind;
    const text =
      resourceSpace + escaped(wellFormed(namespace, kind)) + partEnd + escaped(wellFormed(type, kind)) + partEnd;
    lastPrefix = { namespace, type, text };
  }
  return lastPrefix.text;
}

let lastPrefix: (Kind & { readonly text: string }) | undefined;

/** A resource or kind as it is named within values: its key or prefix without the first byte. */
export function subjectBytes(subject: Pointer | Kind): Uint8Array {
  return ('id' in subject ? resourceKey(subject) : Buffer.from(kindPrefixText(subject))).subarray(1);
}

/** Reads {@link subjectBytes} of a pointer; undefined when they are something else. */
export function subjectPointer(bytes: Uint8Array): Pointer | undefined {
  const first = part(bytes, 0);
  const second = first === undefined ? undefined : part(bytes, first.next);
  if (first === undefined || second === undefined) return undefined;
  const namespace = decoded(first.bytes);
  const type = decoded(second.bytes);
  const id = decoded(bytes.subarray(second.next));
  return namespace === undefined || type === undefined || id === undefined ? undefined : { namespace, type, id };
}

function textKey(space: number, text: string): Buffer {
  return Buffer.from(String.fromCharCode(space) + text);
}

function numberKey(space: number, number: number): Buffer {
  const key = Buffer.allocUnsafe(9);
  key[0] = space;
  key.writeUInt32BE(Math.floor(number / 2 ** 32), 1);
  key.writeUInt32BE(number % 2 ** 32, 5);
  return key;
}

function escaped(part: string): string {
  return part.replaceAll('\0', escapedNul);
}

/** The part that begins there, and where the next one does. */
function part(bytes: Uint8Array, from: number): { bytes: Uint8Array; next: number } | undefined {
  const unescaped: number[] = [];
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte !== 0) {
      unescaped.push(byte);
      continue;
    }
    const mark = bytes[++at];
    if (mark === partEnd.charCodeAt(1)) return { bytes: Uint8Array.from(unescaped), next: at + 1 };
    if (mark !== escapedNul.charCodeAt(1)) return undefined;
    unescaped.push(0);
  }
  return undefined;
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    // Not UTF-8: the caller says what that means.
    return undefined;
  }
}

function wellFormed(part: string, subject: Kind | Pointer): string {
  if (loneSurrogate.test(part)) {
    throw new InvalidArgumentError(
      `${JSON.stringify(part.slice(0, 64))} holds a lone surrogate, which cannot be stored`,
      {
        subject,
      },
    );
  }
  return part;
}
