import type { JsonValue } from '@cosi-ts/resource';
import type { WaitAction } from '../definition/definition.js';
import { durationMs } from '../definition/duration.js';
import { timeMs } from '../definition/time.js';
import type { JsonObject } from '../json.js';
import { messageOf, rejection } from './condition.js';
import type { ChildFact, Failure, Place, SignalFact } from './facts.js';

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
    const by = typeof outputs.by === 'string' && outputs.by !== '' ? ` by ${outputs.by}` : '';
    const reason = typeof outputs.comment === 'string' ? `: ${outputs.comment}` : '';
    return { state: 'failed', failure: rejection(`was refused${by}${reason}`) };
  }
  return { state: 'succeeded', outputs };
}

/** What comes of a step when no signal came in its time. */
export function afterNoSignal({ otherwise }: WaitAction, signal: string): Done {
  if (otherwise !== undefined) return { state: 'succeeded', outputs: otherwise };
  return { state: 'failed', failure: { reason: 'timeout', message: `the signal ${signal} did not come in time` } };
}

/** What the end of a nested run makes of the step that it belongs to. */
export function afterChild({ state, outputs, message, unmade }: ChildFact, id: string): Done {
  if (unmade !== undefined) return { state: 'failed', failure: { reason: unmade, message } };
  if (state === 'succeeded') {
    return { state, outputs: outputs === '' ? {} : (JSON.parse(outputs) as JsonObject) };
  }
  if (state === 'cancelled') {
    const how = message === '' ? 'was cancelled' : message;
    return { state: 'failed', failure: { reason: 'cancelled', message: `the run ${id} ${how}` } };
  }
  return { state: 'failed', failure: { reason: 'error', message: `the run ${id} failed: ${message}` } };
}

/** What a nested run comes to that is to end, and was never made. */
export function neverMade({ step, index }: Place): ChildFact {
  return { step, index, state: 'cancelled', retries: Number.MAX_SAFE_INTEGER, message: '', outputs: '' };
}

/** Reads a duration like `90s`, or a number of seconds. Throws a `RangeError` for anything else. */
export function sleepMs(value: JsonValue): number {
  const ms = typeof value === 'number' ? value * 1000 : typeof value === 'string' ? durationMs(value) : undefined;
  if (ms !== undefined && ms >= 0) return ms;
  throw new RangeError(`${JSON.stringify(value)} is no duration: write one like 30s, 5m or 1h30m`);
}

/** Reads a time like `2030-05-17T08:00:00Z`. Throws a `RangeError` for anything else. */
export function wakeMs(value: JsonValue): number {
  const ms = typeof value === 'string' ? timeMs(value) : undefined;
  if (ms === undefined)
    throw new RangeError(`${JSON.stringify(value)} is no time: write one like 2030-05-17T08:00:00Z`);
  return ms;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
