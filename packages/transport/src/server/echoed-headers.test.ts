import http2 from 'node:http2';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { envelope } from '../testdata/envelopes.js';
import { type StateServer, serveState } from './serve-state.js';
import { maxStatusBytes } from './status-text.js';

let server: StateServer;
let session: http2.ClientHttp2Session;

beforeAll(async () => {
  server = await serveState(new InMemoryState(), { address: '127.0.0.1:0' });
  session = http2.connect(server.url);
});

afterAll(async () => {
  session.destroy();
  await server.close();
});

/** The texts by which the answer names what is wrong, in trailers or body. */
function answerTo(headers: http2.OutgoingHttpHeaders, body: Uint8Array): Promise<string> {
  const stream = session.request({ ':method': 'POST', ':path': '/cosi.resource.State/Get', ...headers });
  return new Promise((resolve, reject) => {
    let text = '';
    const add = (received: http2.IncomingHttpHeaders) => {
      text += decodeURIComponent(String(received['grpc-message'] ?? ''));
    };
    stream.on('response', add);
    stream.on('trailers', add);
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    stream.on('error', reject);
    stream.on('close', () => resolve(text));
    stream.end(body);
  });
}

const grpc = { 'content-type': 'application/grpc', te: 'trailers' };
const connect = { 'content-type': 'application/json' };
const long = '1'.repeat(5000);

describe('headers that are repeated', () => {
  it.each([
    ['grpc-timeout', grpc],
    ['grpc-encoding', grpc],
    ['connect-timeout-ms', connect],
    ['content-encoding', connect],
  ])('N7: a long %s that means nothing does not make the text of the status long', async (name, others) => {
    const text = await answerTo(
      { ...others, [name]: long },
      others === grpc ? envelope(new Uint8Array()) : Buffer.from('{}'),
    );
    expect(text).toContain('1'.repeat(10));
    expect(Buffer.byteLength(text)).toBeLessThan(maxStatusBytes);
  });
});
