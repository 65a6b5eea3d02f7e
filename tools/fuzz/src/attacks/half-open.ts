import http2 from 'node:http2';
import { type Attack, answered, Finding } from '../attack.js';
import { Connection, envelope, rpcs } from '../grpc.js';
import { RawSocket } from '../sockets.js';

const streams = 1000;

/** Requests that never end: without a body, or with half of one. The connection serves others all the same. */
export const halfOpenStreams: Attack = {
  name: 'half-open-streams',
  async run({ target, random, tally }) {
    await using connection = new Connection(target);
    const half = envelope(Buffer.alloc(1000)).subarray(0, 500);
    const open = Array.from({ length: streams }, () => {
      const bytes = random.pick([undefined, Buffer.alloc(1), Buffer.alloc(5), half]);
      return connection.open(`/cosi.resource.State/${random.pick(rpcs)}`, bytes, { open: true });
    });
    const { status } = await connection.call('Get', new Uint8Array());
    if (status === undefined) throw new Finding(`nothing is served beside ${streams} half-open streams`);
    tally.add('half-open', streams);
    if (random.float() < 0.5) for (const stream of open) stream.close(http2.constants.NGHTTP2_CANCEL);
  },
};

/** How long a connection may stay that has not said what it speaks, and some time for a busy machine. */
const beginningsEndMs = 16_000;

/** Connections that begin to speak and stop. The server ends them. */
export const halfOpenConnections: Attack = {
  name: 'half-open-connections',
  async run({ target, tally }) {
    const sockets = ['', 'PRI * HTT', 'PRI * HTTP/2.0\r\n\r\nSM'].flatMap((beginning) =>
      Array.from({ length: 30 }, () => {
        const raw = new RawSocket(target);
        raw.write(beginning);
        return raw;
      }),
    );
    const ended = answered(
      Promise.all(sockets.map((raw) => raw.closed)),
      'half-open connections',
      undefined,
      beginningsEndMs,
    );
    try {
      await ended;
      tally.add('ended', sockets.length);
    } finally {
      await Promise.all(sockets.map((raw) => raw.end()));
    }
  },
};
