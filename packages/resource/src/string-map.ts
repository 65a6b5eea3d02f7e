/** Labels and annotations: text by text. Frozen, and without inherited keys, so that `constructor` is a label like any other. */
export type StringMap = Readonly<Record<string, string>>;

/** Marks maps that were made here: they are frozen, hold only strings, and can be shared as they are. */
const canonical = Object.freeze(Object.create(null)) as object;

export const emptyStringMap: StringMap = Object.freeze(Object.create(canonical));

/** An immutable map with the entries of `source`. A map that was made here is given back as it is. */
export function stringMap(source: Readonly<Record<string, string>> | undefined): StringMap {
  // Most annotations are the empty map, and to look whether an object is frozen takes its time.
  if (source === undefined || source === emptyStringMap) return emptyStringMap;
  if (typeof source !== 'object' || source === null) throw noStringMap();
  if (isCanonical(source)) return source;
  if (Symbol.iterator in source) throw noStringMap();
  const keys = Object.keys(source);
  if (keys.length === 0) return emptyStringMap;
  const map = Object.create(canonical) as Record<string, string>;
  for (const key of keys) {
    const value = source[key];
    if (typeof value !== 'string') {
      throw new TypeError(`the value of ${JSON.stringify(key)} must be a string, not ${typeof value}`);
    }
    map[key] = value;
  }
  return Object.freeze(map);
}

/** The same from keys and values in turn, for decoders. Of two values for one key the later counts. */
export function stringMapOf(texts: readonly string[]): StringMap {
  if (texts.length === 0) return emptyStringMap;
  const map = Object.create(canonical) as Record<string, string>;
  for (let i = 0; i + 1 < texts.length; i += 2) map[texts[i] as string] = texts[i + 1] as string;
  return Object.freeze(map);
}

/** A `Map`, a list or a text has keys too, but they are not what was meant. */
function noStringMap(): TypeError {
  return new TypeError('labels and annotations must be an object whose values are strings');
}

function isCanonical(source: object): boolean {
  return Object.getPrototypeOf(source) === canonical && Object.isFrozen(source);
}

/** A copy that can be changed. It has no inherited keys either. */
export function mutableStringMap(source: StringMap): Record<string, string> {
  return Object.assign(Object.create(null) as Record<string, string>, source);
}

/** Keys in the order in which they are printed and serialised: by code point, which is the byte order of UTF-8. */
export function sortedKeys(map: StringMap): string[] {
  const keys = Object.keys(map);
  return keys.length > maxInserted ? keys.sort(compareUtf8) : insertionSorted(keys);
}

/** Up to so many keys are sorted by hand: the host's sorting takes longer to begin with, and a kilobyte. */
const maxInserted = 8;

function insertionSorted(keys: string[]): string[] {
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string;
    let at = i;
    for (; at > 0 && compareUtf8(keys[at - 1] as string, key) > 0; at--) keys[at] = keys[at - 1] as string;
    keys[at] = key;
  }
  return keys;
}

export function sameStringMap(a: StringMap, b: StringMap): boolean {
  if (a === b) return true;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

/**
 * Compares by the bytes of UTF-8. That is the order of code points, which JavaScript's own comparison (of UTF-16
 * units) is not: surrogates, which stand for code points past U+FFFF, sort below U+E000 to U+FFFF there.
 */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return utf8Rank(x) - utf8Rank(y);
  }
  return a.length - b.length;
}

function utf8Rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}
