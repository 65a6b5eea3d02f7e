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

/**
 * The map of keys and values in turn. Many resources have the labels of many others: they share one map then.
 *
 * @param count how many of the texts count
 */
export function sharedMap(texts: readonly string[], count: number): StringMap {
  if (count === 0) return emptyStringMap;
  if (count > maxTexts) return stringMapOf(texts.slice(0, count));
  const slot = slotOf(texts, count);
  const known = recent[slot];
  if (known !== undefined && sameTexts(known.texts, texts, count)) return known.map;
  const own = texts.slice(0, count);
  const map = stringMapOf(own);
  recent[slot] = { texts: own, map };
  return map;
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
