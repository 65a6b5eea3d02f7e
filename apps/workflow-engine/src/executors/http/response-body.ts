import type { JsonValue } from '@cosi-ts/resource';

/** The answer is larger than the limit, or it is not what it says. */
export class ResponseBodyError extends Error {
  override readonly name = 'ResponseBodyError';
}

/** The whole answer as text. Rejects with a {@link ResponseBodyError}, and takes no more, when it is too large. */
export async function readBody(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const part of response.body) {
    bytes += part.byteLength;
    // Leaving the loop ends the stream, and the connection with it.
    if (bytes > maxBytes) throw new ResponseBodyError(`the answer is larger than ${maxBytes} bytes`);
    parts.push(decoder.decode(part, { stream: true }));
  }
  parts.push(decoder.decode());
  return parts.join('');
}

/** The beginning of an answer; not much more than so many characters, and fewer where the answer breaks off. */
export async function bodyBeginning(response: Response, maxLength: number): Promise<string> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const part of response.body) {
      text += decoder.decode(part, { stream: true });
      if (text.length > maxLength) return text;
    }
  } catch {
    // The status says more than how its explanation broke off.
    return text;
  }
  return text;
}

/**
 * JSON by its content type is parsed; everything else stays text. Throws a {@link ResponseBodyError}.
 * @param mask takes secrets out of what its message quotes
 */
export function bodyValue(contentType: string, text: string, mask: (text: string) => string): JsonValue {
  if (text === '' || !/^application\/(?:[\w.-]+\+)?json\b/i.test(contentType.trim())) return text;
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    // It quotes some of the text, from the middle of a secret perhaps.
    const why = mask(text) === text ? `: ${(error as Error).message}` : '';
    throw new ResponseBodyError(`the answer says that it is JSON, and is not${why}`);
  }
}
