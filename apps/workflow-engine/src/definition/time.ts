const pattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Reads a time of RFC 3339, seconds may be left out: milliseconds since the epoch. Undefined for anything else. */
export function timeMs(text: string): number | undefined {
  const ms = pattern.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
