import { emptyStringMap, type StringMap, stringMapOf } from '@cosi-ts/resource';

interface Known {
  /** Keys and values in turn. */
  readonly texts: readonly string[];
  readonly map: StringMap;
}

/** Maps that were read lately, each where its texts lead. */
const recent: (Known | undefined)[] = new Array(1024).fill(undefined);

/** More texts than this are not likely to come again all the same. */
const maxTexts = 16;

/** Nor are longer ones than this, all together; and what is kept must not grow with what somebody sends. */
const maxLength = 1024;

/**
 * The map of keys and values in turn. Many resources have the labels of many others: they share one map then.
 *
 * @param count how many of the texts count
 */
export function sharedMap(texts: readonly string[], count: number): StringMap {
  if (count === 0) return emptyStringMap;
  if (count > maxTexts || lengthOf(texts, count) > maxLength) return stringMapOf(texts.slice(0, count));
  const slot = slotOf(texts, count);
  const known = recent[slot];
  if (known !== undefined && sameTexts(known.texts, texts, count)) return known.map;
  const own = texts.slice(0, count);
  const map = stringMapOf(own);
  recent[slot] = { texts: own, map };
  return map;
}

function lengthOf(texts: readonly string[], count: number): number {
  let length = 0;
  for (let i = 0; i < count; i++) length += (texts[i] as string).length;
  return length;
}

/** From lengths and last characters, which is where labels differ most. */
function slotOf(texts: readonly string[], count: number): number {
  let hash = 0;
  for (let n = 0; n < count; n++) {
    const text = texts[n] as string;
    const { length } = text;
    hash = (Math.imul(hash, 31) + length) | 0;
    for (let i = Math.max(0, length - 4); i < length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  }
  return (hash ^ (hash >>> 10)) & (recent.length - 1);
}

function sameTexts(known: readonly string[], texts: readonly string[], count: number): boolean {
  if (known.length !== count) return false;
  for (let i = 0; i < count; i++) if (known[i] !== texts[i]) return false;
  return true;
}

interface KnownBytes {
  readonly bytes: Uint8Array;
  readonly map: StringMap;
}

/** Maps by the bytes that they were read from, each where its bytes lead. */
const recentBytes: (KnownBytes | undefined)[] = new Array(1024).fill(undefined);

/** More bytes than this are not likely to come again. */
const maxBytes = 256;

/** The map that was read from the same bytes lately. */
export function knownMap(source: Uint8Array, start: number, end: number): StringMap | undefined {
  if (end - start > maxBytes) return undefined;
  const known = recentBytes[slotOfBytes(source, start, end)];
  return known !== undefined && sameBytes(known.bytes, source, start, end) ? known.map : undefined;
}

/** Lets {@link knownMap} know what was read from there. */
export function rememberMap(source: Uint8Array, start: number, end: number, map: StringMap): void {
  if (end - start <= maxBytes) recentBytes[slotOfBytes(source, start, end)] = { bytes: source.slice(start, end), map };
}

function slotOfBytes(source: Uint8Array, start: number, end: number): number {
  let hash = 0;
  for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + (source[at] as number)) | 0;
  return (hash ^ (hash >>> 12)) & (recentBytes.length - 1);
}

function sameBytes(known: Uint8Array, source: Uint8Array, start: number, end: number): boolean {
  if (known.length !== end - start) return false;
  for (let i = 0; i < known.length; i++) if (known[i] !== source[start + i]) return false;
  return true;
}
