import { create } from '@bufbuild/protobuf';
import {
  type Timestamp as ProtoTimestamp,
  TimestampSchema,
  timestampFromMs,
  timestampMs,
} from '@bufbuild/protobuf/wkt';
import { type Clock, type DeepReadonly, Timestamp } from '@cosi-ts/resource';

/**
 * So long is waited at most before the wall clock is looked at again: it can be set, and goes on while the machine
 * sleeps, which timers do not see.
 */
export const clockCheckMs = 30_000;

/** Whole milliseconds since the epoch. */
export function msNow(clock: Clock): number {
  return clock.now().toDate().getTime();
}

export function msOf(time: DeepReadonly<ProtoTimestamp> | undefined): number | undefined {
  return time === undefined ? undefined : timestampMs(time as ProtoTimestamp);
}

export function timeOf(ms: number): ProtoTimestamp;
export function timeOf(ms: number | undefined): ProtoTimestamp | undefined;
export function timeOf(ms: number | undefined): ProtoTimestamp | undefined {
  return ms === undefined ? undefined : timestampFromMs(ms);
}

/** The time with its nanoseconds, as text; empty where there is none. */
export function textOf(time: DeepReadonly<ProtoTimestamp> | undefined): string {
  return time === undefined ? '' : new Timestamp(Number(time.seconds), time.nanos).toString();
}

/** Reads what {@link textOf} gives. */
export function timeOfText(text: string): ProtoTimestamp | undefined {
  if (text === '') return undefined;
  const { seconds, nanos } = Timestamp.parse(text);
  return create(TimestampSchema, { seconds: BigInt(seconds), nanos });
}
