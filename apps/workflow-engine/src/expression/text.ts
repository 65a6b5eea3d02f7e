import type { JsonValue } from '@cosi-ts/resource';

/** A value as it is put into a text: texts as they are, null as nothing, lists and objects as JSON. */
export function textOf(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
