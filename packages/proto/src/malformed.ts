import { CorruptError, InvalidArgumentError, type Pointer, pointerText } from '@cosi-ts/resource';
import { messageOf } from './message-of.js';

/**
 * Which code malformed bytes are reported with: `corrupt` for what was stored or answered, `invalid-argument` for what
 * was asked, because there it is the caller's mistake.
 */
export type Fault = 'corrupt' | 'invalid-argument';

/** Wraps the reason why a resource cannot be read, and names the resource as far as it is known. */
export function malformed(fault: Fault, cause: unknown, pointer: Pointer | undefined): Error {
  const known = pointer !== undefined && (pointer.type !== '' || pointer.id !== '');
  const message = `${known ? `resource ${pointerText(pointer)}` : 'a resource'} cannot be decoded: ${messageOf(cause)}`;
  const details = known ? { cause, subject: { ...pointer } } : { cause };
  return fault === 'corrupt' ? new CorruptError(message, details) : new InvalidArgumentError(message, details);
}

/** Wraps the reason why a message cannot be read. */
export function unreadable(what: string, cause: unknown, fault: Fault = 'corrupt'): Error {
  const message = `${what} cannot be decoded: ${messageOf(cause)}`;
  return fault === 'corrupt' ? new CorruptError(message, { cause }) : new InvalidArgumentError(message, { cause });
}
