import type { JsonValue } from '@cosi-ts/resource';

/** What resources keep as JSON text. A text that is none, which other processes may have stored, is given as it is. */
export function jsonOf(text: string): JsonValue {
  if (text === '') return null;
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
