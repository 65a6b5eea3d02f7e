import type { JsonObject } from '../json.js';

/** As deep as a definition can be. What is far deeper nobody could read again: calls within calls would be too many. */
const deepest = 100;

/** The outputs of an attempt as they are kept. Throws an error that says why they cannot be. */
export function outputsText(outputs: JsonObject): string {
  check(outputs, deepest);
  const text = JSON.stringify(outputs) as string | undefined;
  if (text?.startsWith('{') !== true) throw new Error('they are no object');
  return text;
}

function check(value: unknown, left: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (left === 0) throw new Error('they are nested too deeply');
  for (const part of Object.values(value)) check(part, left - 1);
}
