import { type StringMap, stringMapOf } from '@cosi-ts/resource';

interface Known {
  /** Keys and values in turn. */
  readonly texts: readonly string[];
  readonly map: StringMap;
}

/** Maps that were read lately, each where its texts lead. */
const recent: (Known | undefined)[] = new Array(1024).fill(undefined);

/** More texts than this are not likely to come again all the same. */
const maxTexts = 16;

/** The map of keys and values in turn. Many resources have the labels of many others: they share one map then. */
export function sharedMap(texts: readonly string[]): StringMap {
  if (texts.length === 0 || texts.length > maxTexts) return stringMapOf(texts);
  const slot = slotOf(texts);
  const known = recent[slot];
  if (known !== undefined && sameTexts(known.texts, texts)) return known.map;
  const map = stringMapOf(texts);
  recent[slot] = { texts, map };
  return map;
}

/** From lengths and last characters, which is where labels differ most. */
function slotOf(texts: readonly string[]): number {
  let hash = 0;
  for (const text of texts) {
    const { length } = text;
    hash = (Math.imul(hash, 31) + length) | 0;
    for (let i = Math.max(0, length - 4); i < length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  }
  return (hash ^ (hash >>> 10)) & (recent.length - 1);
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
