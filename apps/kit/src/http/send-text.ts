import type { ApiRequest } from './router.js';

/** Answers a request with a text, of a type without its character set. For handlers: `return sendText(…)`. */
export function sendText(
  { raw, response }: Pick<ApiRequest, 'raw' | 'response'>,
  type: string,
  text: string,
): undefined {
  response.writeHead(200, {
    'content-type': `${type}; charset=utf-8`,
    'content-length': Buffer.byteLength(text),
  });
  response.end(raw.method === 'HEAD' ? undefined : text);
}
