import { getTextEncoding } from '@bufbuild/protobuf/wire';
import { InvalidArgumentError, invalidSpec, type Pointer, type SpecPath } from '@cosi-ts/resource';

/** False for text with lone surrogates: it has no UTF-8 form, and other text than was meant would arrive. */
export function isWellFormed(text: string): boolean {
  return getTextEncoding().checkUtf8(text);
}

/** The bytes of a text, or those of the text that they read as, when they are not UTF-8. */
export function wellFormedBytes(bytes: Uint8Array): Uint8Array {
  if (bytes.every((byte) => byte < 0x80)) return bytes;
  const { encodeUtf8, decodeUtf8 } = getTextEncoding();
  return encodeUtf8(decodeUtf8(bytes));
}

const fault = 'has a lone surrogate';

/**
 * Refuses text that is not well-formed.
 *
 * @param what names the text in the message
 */
export function checkWellFormed(text: string, what: string, subject?: Pointer): void {
  if (isWellFormed(text)) return;
  const details = subject && { subject: { namespace: subject.namespace, type: subject.type, id: subject.id } };
  throw new InvalidArgumentError(`${what} ${JSON.stringify(text.slice(0, 64))} ${fault}`, details);
}

/** Refuses text in a spec that is not well-formed. The key is the last part of the path, and may itself be at fault. */
export function checkSpecText(text: string, path: SpecPath, key: string | number): void {
  if (!isWellFormed(text)) throw invalidSpec([...path, key], fault);
}
