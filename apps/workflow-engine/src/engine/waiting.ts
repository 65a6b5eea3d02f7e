import type { JsonValue } from '@cosi-ts/resource';
import type { WaitAction } from '../definition/definition.js';
import type { JsonObject } from '../json.js';
import { messageOf, rejection } from './condition.js';
import type { Failure, SignalFact } from './facts.js';

/** What a step comes to that the engine does itself. */
export type Done =
  | { readonly state: 'succeeded'; readonly outputs: JsonObject }
  | { readonly state: 'failed'; readonly failure: Failure };

/** What a signal makes of the step that waited for it: its outputs are the payload, of one that is no object `value`. */
export function afterSignal(action: WaitAction, { payload, name }: SignalFact): Done {
  let value: JsonValue;
  try {
    value = payload === '' ? null : (JSON.parse(payload) as JsonValue);
  } catch (error) {
    return { state: 'failed', failure: rejection(`the payload of the signal ${name} is no JSON: ${messageOf(error)}`) };
  }
  const outputs = isObject(value) ? value : { value };
  if (action.approval !== undefined && outputs.approved === false) {
    const reason = typeof outputs.comment === 'string' ? `: ${outputs.comment}` : '';
    return { state: 'failed', failure: rejection(`was refused${reason}`) };
  }
  return { state: 'succeeded', outputs };
}

/** What comes of a step when no signal came in its time. */
export function afterNoSignal({ otherwise, signal }: WaitAction): Done {
  if (otherwise !== undefined) return { state: 'succeeded', outputs: otherwise };
  return { state: 'failed', failure: { reason: 'timeout', message: `the signal ${signal} did not come in time` } };
}

const unitsMs = Object.freeze({ ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 });

/** Reads a number of seconds, or a text like `90s`, `1h30m` or `250ms`. Throws a `RangeError` for anything else. */
export function durationMs(value: JsonValue): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value * 1000;
  if (typeof value === 'string' && /^\s*(?:\d+(?:\.\d+)?(?:ms|s|m|h|d)\s*)+$/.test(value)) {
    let sum = 0;
    for (const [, count, unit] of value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
      sum += Number(count) * unitsMs[unit as keyof typeof unitsMs];
    }
    return sum;
  }
  throw new RangeError(`${JSON.stringify(value)} is no duration: write one like 30s, 5m or 1h30m`);
}

/** Reads a time like `2030-05-17T08:00:00Z`. Throws a `RangeError` for anything else. */
export function timeMs(value: JsonValue): number {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms))
    throw new RangeError(`${JSON.stringify(value)} is no time: write one like 2030-05-17T08:00:00Z`);
  return ms;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
