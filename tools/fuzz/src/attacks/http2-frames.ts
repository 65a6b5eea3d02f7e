import type { Seeded } from '@cosi-ts/harness';
import type { Attack, Case } from '../attack.js';
import { flags, frame, frameTypes, headerBlock, preface, receivedTypes, requestHeaders } from '../frames.js';
import { envelope } from '../grpc.js';
import { randomBytes } from '../mutate.js';
import { RawSocket } from '../sockets.js';

const none = Buffer.alloc(0);
const path = '/cosi.resource.State/Get';

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

function setting(id: number, value: number): Buffer {
  return Buffer.concat([Buffer.of(id >> 8, id & 255), word(value)]);
}

const { data, headers, priority, rstStream, settings, pushPromise, ping, goaway, windowUpdate, continuation } =
  frameTypes;
const { endHeaders, endStream, padded } = flags;

/** Sequences of frames that break the rules of HTTP/2, or use them against the server. */
const sequences: readonly ((random: Seeded) => Buffer[])[] = [
  (random) =>
    Array.from({ length: 50 }, () =>
      frame(random.below(256), random.below(256), random.below(20), randomBytes(random, random.below(200))),
    ),
  (random) => [frame(random.below(10), 0, 1, randomBytes(random, 10), 2 ** 24 - 1)],
  () => [frame(data, endStream, 1, none)],
  () => [frame(data, 0, 0, Buffer.from('x'))],
  () => [frame(headers, endHeaders, 0, requestHeaders(path))],
  () => [frame(headers, endHeaders, 2, requestHeaders(path))],
  () => [
    frame(headers, endHeaders | endStream, 5, requestHeaders(path)),
    frame(headers, endHeaders, 3, requestHeaders(path)),
  ],
  () => [frame(headers, 0, 1, requestHeaders(path)), frame(data, 0, 1, none)],
  () => [frame(headers, 0, 1, requestHeaders(path)), frame(headers, endHeaders, 3, requestHeaders(path))],
  // Headers without an end.
  (random) => [
    frame(headers, 0, 1, requestHeaders(path)),
    ...Array.from({ length: 500 + random.below(5000) }, () =>
      frame(continuation, 0, 1, headerBlock([['x-more', 'y'.repeat(100)]])),
    ),
  ],
  () => [frame(headers, 0, 1, requestHeaders(path)), ...new Array<Buffer>(5000).fill(frame(continuation, 0, 1, none))],
  () => [frame(continuation, endHeaders, 1, requestHeaders(path))],
  // Much from little: one name kept by the decoder, and asked for again and again.
  () => [
    frame(
      headers,
      endHeaders | endStream,
      1,
      Buffer.concat([
        requestHeaders(path),
        Buffer.of(0x40, 1, 0x78, 0x7f, 0xa1, 0x1e),
        Buffer.alloc(4000, 0x61),
        Buffer.alloc(3000, 0xbe),
      ]),
    ),
  ],
  (random) => [frame(headers, endHeaders | endStream, 1, randomBytes(random, 200))],
  () => [frame(headers, endHeaders | endStream, 1, Buffer.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f))],
  () => [frame(headers, endHeaders | padded, 1, Buffer.of(255, 0x82))],
  () => [frame(windowUpdate, 0, 0, word(2 ** 31 - 1)), frame(windowUpdate, 0, 0, word(2 ** 31 - 1))],
  () => [frame(windowUpdate, 0, 0, word(0))],
  () => [frame(windowUpdate, 0, 1, word(1))],
  () => [frame(windowUpdate, 0, 0, Buffer.of(1))],
  () => [frame(settings, 0, 1, none)],
  () => [frame(settings, 0, 0, Buffer.alloc(5))],
  () => [frame(settings, flags.ack, 0, Buffer.alloc(6))],
  () => [frame(settings, 0, 0, setting(4, 2 ** 32 - 1))],
  () => [frame(settings, 0, 0, setting(5, 1))],
  () => [frame(settings, 0, 0, setting(1, 2 ** 32 - 1))],
  () => [frame(settings, 0, 0, Buffer.concat(new Array<Buffer>(2000).fill(setting(0xff, 1))))],
  () => new Array<Buffer>(3000).fill(frame(settings, 0, 0, setting(4, 65_535))),
  () => new Array<Buffer>(3000).fill(frame(ping, 0, 0, Buffer.alloc(8))),
  () => [frame(ping, 0, 0, Buffer.alloc(7))],
  () => [frame(ping, 0, 1, Buffer.alloc(8))],
  () => new Array<Buffer>(100).fill(frame(ping, flags.ack, 0, Buffer.alloc(8))),
  () => [frame(rstStream, 0, 1, word(8))],
  () => [frame(rstStream, 0, 0, word(8))],
  () => [frame(priority, 0, 1, Buffer.of(0, 0, 0, 1, 1))],
  () => Array.from({ length: 3000 }, (_, i) => frame(priority, 0, 2 * i + 1, Buffer.of(0, 0, 0, 0, 1))),
  () => [frame(pushPromise, endHeaders, 1, Buffer.concat([word(2), requestHeaders(path)]))],
  () => [
    frame(goaway, 0, 0, Buffer.concat([word(0), word(0)])),
    frame(headers, endHeaders | endStream, 1, requestHeaders(path)),
  ],
  () => [frame(goaway, 0, 0, Buffer.of(1))],
  // Requests on both sides of the client's own GOAWAY, in one go: what is sent for them must wait until they are read.
  (random) =>
    Array.from({ length: 100 }, (_, i) =>
      random.float() < 0.05
        ? frame(goaway, 0, 0, Buffer.concat([word(0), word(random.below(2))]))
        : frame(headers, random.pick([endHeaders, endHeaders | endStream]), 2 * i + 1, requestHeaders(path)),
    ),
  (random) => [
    ...Array.from({ length: 20 }, (_, i) => frame(headers, endHeaders, 2 * i + 1, requestHeaders(path))),
    frame(goaway, 0, 0, Buffer.concat([word(0), word(0)])),
    ...Array.from({ length: 20 }, (_, i) => frame(headers, endHeaders, 2 * i + 41, requestHeaders(path))),
    frame(rstStream, 0, 41 + 2 * random.below(20), word(8)),
    frame(data, endStream, 2 * random.below(40) + 1, none),
  ],
  (random) =>
    Array.from({ length: 200 }, (_, i) =>
      frame(headers, endHeaders, 2 * i + 1, requestHeaders(path, [['x-much', 'z'.repeat(random.below(5000))]])),
    ),
  () => [
    frame(headers, endHeaders, 1, requestHeaders(path)),
    ...new Array<Buffer>(5000).fill(frame(data, 0, 1, none)),
    frame(data, endStream, 1, none),
  ],
  () => [
    frame(headers, endHeaders, 1, requestHeaders(path)),
    frame(data, endStream, 1, envelope(none)),
    frame(data, 0, 1, envelope(none)),
  ],
  () => [frame(headers, endHeaders | endStream, 1, headerBlock([[':method', 'GET']]))],
  () => [
    frame(
      headers,
      endHeaders | endStream,
      1,
      headerBlock([
        ['a', 'b'],
        [':method', 'POST'],
      ]),
    ),
  ],
  () => [frame(headers, endHeaders | endStream, 1, requestHeaders(path, [['Upper', 'case']]))],
  () => [
    frame(
      headers,
      endHeaders | endStream,
      1,
      requestHeaders(path, [
        ['connection', 'close'],
        ['transfer-encoding', 'chunked'],
      ]),
    ),
  ],
  () => [
    frame(
      headers,
      endHeaders | endStream,
      1,
      requestHeaders(path, [
        ['x', 'a\r\nb: c'],
        ['y', '\0'],
      ]),
    ),
  ],
  () => [frame(headers, endHeaders | endStream, 1, requestHeaders('/\u00ff\u0001 x'))],
  () => [frame(headers, endHeaders | endStream, 1, requestHeaders(path, [[':path', '/other']]))],
  () => [
    frame(
      headers,
      endHeaders | endStream,
      1,
      headerBlock([
        [':method', 'CONNECT'],
        [':authority', 'x:1'],
      ]),
    ),
  ],
  () => [
    frame(headers, endHeaders, 1, requestHeaders(path, [['content-length', '3']])),
    frame(data, endStream, 1, Buffer.alloc(100)),
  ],
];

const question = Buffer.from('answer!!');

async function attackWith(its: Case, make: (random: Seeded) => Buffer[]): Promise<void> {
  await using raw = new RawSocket(its.target);
  const start = Buffer.concat([preface, frame(settings, 0, 0, none)]);
  const sent = Buffer.concat([start, ...make(its.random), frame(ping, 0, 0, question)]);
  if (its.random.float() < 0.1) {
    raw.write(sent.subarray(0, its.random.below(sent.length)));
    await raw.end('reset');
    its.tally.add('broken off');
    return;
  }
  raw.write(sent);
  // It answers the last question, or says that it is through with this connection, or ends it.
  const isOver = (received: Buffer) =>
    received.includes(question) || receivedTypes(received).some(({ type }) => type === goaway);
  await raw.until(isOver, 'frames', sent);
  const types = receivedTypes(raw.received);
  if (types.some(({ type }) => type === goaway)) its.tally.add('GOAWAY');
  else if (types.some(({ type }) => type === rstStream)) its.tally.add('RST_STREAM');
  else its.tally.add(raw.socket.destroyed ? 'closed' : 'answered');
}

/** Frames of HTTP/2 that are wrong, or too many. */
export const http2Frames: Attack = {
  name: 'http2-frames',
  // After a fault in the protocol Node reads nothing more: that the client has gone is noticed by keepalive.
  forgetMs: 25_000,
  async run(its) {
    await Promise.all(sequences.map((make) => attackWith(its, make)));
  },
};
