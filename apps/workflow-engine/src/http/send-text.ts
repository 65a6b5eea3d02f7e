import type { ApiRequest } from '@cosi-ts/app-kit';

/** Answers with a text. */
export function sendText({ raw, response }: ApiRequest, type: string, text: string): undefined {
  response.writeHead(200, {
    'content-type': `${type}; charset=utf-8`,
    'content-length': Buffer.byteLength(text),
  });
  response.end(raw.method === 'HEAD' ? undefined : text);
}
