import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { DeepReadonly } from '@cosi-ts/resource';

/** RFC 3339 with milliseconds, as pages and programs read it; null where there is no time. */
export function timeText(time: DeepReadonly<Timestamp> | undefined): string | null {
  return time === undefined ? null : new Date(timestampMs(time as Timestamp)).toISOString();
}
