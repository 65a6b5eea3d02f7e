import http from 'node:http';
import { answered, Finding, type Target } from './attack.js';
import { checkText } from './grpc.js';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A request over HTTP/1.1, on the agent's connections. Rejects with Node's error when the connection is cut off. */
export async function post(
  { host, port }: Target,
  agent: http.Agent,
  path: string,
  contentType: string,
  body: Uint8Array | string,
  headers: http.OutgoingHttpHeaders = {},
): Promise<HttpAnswer> {
  const work = new Promise<HttpAnswer>((resolve, reject) => {
    const request = http.request(
      { host, port, path, agent, method: 'POST', headers: { 'content-type': contentType, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        );
        response.once('error', reject);
      },
    );
    request.once('error', reject);
    request.end(body);
  });
  return answered(work, `${path}, ${contentType}`, Buffer.from(body));
}

interface ConnectError {
  readonly code?: unknown;
  readonly message?: unknown;
}

/** Checks an error of the Connect protocol, and gives the name of its status. */
function checkError(what: string, error: ConnectError, sent: Uint8Array): string {
  if (typeof error.code !== 'string')
    throw new Finding(`${what}: an error without a code: ${JSON.stringify(error)}`, sent);
  const name = error.code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  checkText(what, name, typeof error.message === 'string' ? error.message : '', sent);
  return name;
}

/** Checks an answer of the Connect protocol to a unary call, and gives the name of its status. */
export function checkUnary(what: string, { status, headers, body }: HttpAnswer, sent: Uint8Array): string {
  if (status === 200) {
    if (headers['content-type'] === 'application/json') parse(what, body, sent);
    return 'OK';
  }
  if (headers['content-type'] !== 'application/json' && [404, 405, 415].includes(status)) return `HTTP ${status}`;
  return checkError(what, parse(what, body, sent) as ConnectError, sent);
}

/** Checks an answer of the Connect protocol to a stream, and gives the name of its status. */
export function checkStream(what: string, { status, body }: HttpAnswer, sent: Uint8Array): string {
  if (status !== 200) return `HTTP ${status}`;
  for (let at = 0; at + 5 <= body.length; ) {
    const end = at + 5 + body.readUInt32BE(at + 1);
    if ((body[at] as number) & 2) {
      const { error } = parse(what, body.subarray(at + 5, end), sent) as { readonly error?: ConnectError };
      return error === undefined ? 'OK' : checkError(what, error, sent);
    }
    at = end;
  }
  throw new Finding(`${what}: a stream without an end`, sent);
}

function parse(what: string, body: Uint8Array, sent: Uint8Array): unknown {
  const text = Buffer.from(body).toString();
  try {
    return JSON.parse(text);
  } catch {
    throw new Finding(`${what}: an answer that is no JSON: ${text.slice(0, 200)}`, sent);
  }
}
