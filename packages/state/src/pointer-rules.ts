import { InvalidArgumentError, type Pointer } from '@cosi-ts/resource';

/** The longest namespace, type or id that can be created, in bytes of UTF-8. */
export const maxPartBytes = 1024;

const utf8 = new TextEncoder();

// Made once: what builds this package turns the literal into a call that would make it anew each time.
const loneSurrogate = /\p{Surrogate}/u;

/**
 * What a pointer must be for a resource to be created there: parts that are not empty, without NUL, valid in UTF-8 and
 * at most {@link maxPartBytes} long. Throws `invalid-argument` that names the field. Resources that peers made
 * otherwise are read, changed and destroyed all the same.
 */
export function checkNewPointer(pointer: Pointer): void {
  checkPart(pointer, 'namespace');
  checkPart(pointer, 'type');
  checkPart(pointer, 'id');
}

function checkPart(pointer: Pointer, field: 'namespace' | 'type' | 'id'): void {
  const part = pointer[field];
  const fault = faultOf(part);
  if (fault === undefined) return;
  throw new InvalidArgumentError(`${field} ${JSON.stringify(part.slice(0, 64))} ${fault}`, {
    subject: { namespace: pointer.namespace, type: pointer.type, id: pointer.id },
  });
}

function faultOf(part: string): string | undefined {
  if (part === '') return 'must not be empty';
  if (part.includes('\0')) return 'must not hold a NUL character';
  if (loneSurrogate.test(part)) return 'holds a lone surrogate, which UTF-8 cannot express';
  // A UTF-16 unit takes at most three bytes: most parts need no count.
  if (part.length * 3 > maxPartBytes && utf8.encode(part).length > maxPartBytes) {
    return `is longer than ${maxPartBytes} bytes`;
  }
  return undefined;
}
