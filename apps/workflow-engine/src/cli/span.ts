import { InvalidArgumentError as InvalidValue } from 'commander';
import { durationMs } from '../definition/duration.js';

/** A value like `10s`, `1h30m` or `30d`, in milliseconds. */
export function span(text: string): number {
  const ms = durationMs(text);
  if (ms === undefined) throw new InvalidValue('It must be like 10s, 1h30m or 30d.');
  return ms;
}
