import { deflateSync, gzipSync } from 'node:zlib';
import type { Seeded } from '@cosi-ts/harness';
import type { Attack } from '../attack.js';
import { Connection, checkStatus, envelope, type Outcome, rpcs, statusName } from '../grpc.js';
import { randomBytes } from '../mutate.js';
import { hostileBytes } from '../requests.js';

interface Framed {
  readonly bytes: Uint8Array;
  readonly encoding?: string;
}

/** Messages that are framed otherwise than gRPC wants it. */
const framings: readonly ((message: Uint8Array, random: Seeded) => Framed)[] = [
  (message) => ({ bytes: message }),
  () => ({ bytes: new Uint8Array() }),
  (message) => ({ bytes: Buffer.concat([envelope(message), envelope(message)]) }),
  (message) => ({ bytes: Buffer.concat([envelope(message), Buffer.of(0)]) }),
  (message) => ({ bytes: Buffer.concat([envelope(message), Buffer.of(0, 0, 0, 0, 9, 1)]) }),
  (message) => ({ bytes: envelope(message, 0, message.length + 1) }),
  (message) => ({ bytes: envelope(message, 0, Math.max(0, message.length - 1)) }),
  (message) => ({ bytes: envelope(message, 0, 0) }),
  (message) => ({ bytes: envelope(message, 0, 2 ** 32 - 1) }),
  (message) => ({ bytes: envelope(message, 0, 2 ** 31) }),
  (message) => ({ bytes: envelope(message, 1) }),
  (message) => ({ bytes: envelope(message, 1), encoding: 'gzip' }),
  (message) => ({ bytes: envelope(gzipSync(message), 1), encoding: 'gzip' }),
  (message) => ({ bytes: envelope(gzipSync(message).subarray(0, -4), 1), encoding: 'gzip' }),
  (message) => ({ bytes: envelope(gzipSync(message), 0), encoding: 'gzip' }),
  (message) => ({ bytes: envelope(deflateSync(message), 1), encoding: 'deflate' }),
  (message) => ({ bytes: envelope(message, 1), encoding: 'identity' }),
  (message) => ({ bytes: envelope(message, 1), encoding: 'zstd' }),
  (message) => ({ bytes: envelope(message), encoding: 'nonsense' }),
  (message) => ({ bytes: envelope(message, 2) }),
  (message) => ({ bytes: envelope(message, 0x80) }),
  (message) => ({ bytes: envelope(message, 0xff) }),
  (message, random) => ({ bytes: envelope(message).subarray(0, random.below(message.length + 5)) }),
  (_message, random) => ({ bytes: randomBytes(random, random.below(100)) }),
  // Small on the wire, and far beyond the limit when it is read.
  () => ({ bytes: bomb, encoding: 'gzip' }),
];

const bomb = envelope(gzipSync(Buffer.alloc(100 * 1024 * 1024)), 1);

const contentTypes = [
  'application/grpc',
  'application/grpc+proto',
  'application/grpc-web',
  'application/grpc-web+proto',
];

/** The frames around messages, in gRPC and gRPC-Web. */
export const framing: Attack = {
  name: 'framing',
  async run({ target, random, tally }) {
    await using connection = new Connection(target);
    for (const frame of framings) {
      const rpc = random.pick(rpcs);
      const { bytes, encoding } = frame(hostileBytes(rpc, random), random);
      const contentType = random.pick(contentTypes);
      const headers = {
        'content-type': contentType,
        'grpc-timeout': '2S',
        ...(encoding !== undefined && { 'grpc-encoding': encoding }),
      };
      const options = { headers, untilBytes: rpc === 'Watch' ? 5 : undefined };
      const outcome = await connection.send(`/cosi.resource.State/${rpc}`, bytes, options);
      const web = contentType.startsWith('application/grpc-web');
      tally.add(checkStatus(`${rpc}, ${contentType}`, web ? withWebTrailers(outcome) : outcome, bytes));
    }
  },
};

/** gRPC-Web has its trailers at the end of the body. */
function withWebTrailers(outcome: Outcome): Outcome {
  for (let at = 0; at + 5 <= outcome.body.length; ) {
    const end = at + 5 + outcome.body.readUInt32BE(at + 1);
    if ((outcome.body[at] as number) & 0x80) {
      const lines = outcome.body
        .subarray(at + 5, end)
        .toString('latin1')
        .split('\r\n');
      const trailers = Object.fromEntries(
        lines.map((line) => [line.split(':', 1)[0] ?? '', line.replace(/^[^:]*: */, '')]),
      );
      return { ...outcome, status: statusName(trailers['grpc-status']), headers: { ...outcome.headers, ...trailers } };
    }
    at = end;
  }
  return outcome;
}
