import { getTextEncoding } from '@bufbuild/protobuf/wire';
import { InvalidArgumentError, type Pointer } from '@cosi-ts/resource';

/**
 * Refuses text with lone surrogates: it has no UTF-8 form, and other text than was meant would arrive.
 *
 * @param what names the text in the message
 */
export function checkWellFormed(text: string, what: string, subject?: Pointer): void {
  if (getTextEncoding().checkUtf8(text)) return;
  const details = subject && { subject: { namespace: subject.namespace, type: subject.type, id: subject.id } };
  throw new InvalidArgumentError(`${what}: ${JSON.stringify(text.slice(0, 64))} has a lone surrogate`, details);
}
