import { CorruptError, pointerText } from '@cosi-ts/resource';
import type { RecordPlace } from '@cosi-ts/state-inmem';

/** The error for a record that is not what a marshaler wrote for its place. */
export function corruptRecord(place: RecordPlace, why: string, cause?: unknown): CorruptError {
  const { namespace, type, id, position } = place;
  const where = position === undefined ? '' : ` of the event at position ${position}`;
  return new CorruptError(`the record${where} of ${pointerText({ namespace, type, id })} ${why}`, {
    subject: { namespace, type, id },
    cause,
  });
}

/** The text of whatever was thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
