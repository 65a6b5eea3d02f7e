import type { ClientHttp2Stream } from 'node:http2';
import { type Attack, answered } from '../attack.js';
import { Connection, envelope } from '../grpc.js';
import { createThing, watching } from '../things.js';

const watches = 10_000;
const connections = 2;
const atOnce = 500;

/** So many watches may take a while on a busy machine. */
const limitMs = 60_000;

/** Watches by the thousands that have nothing to tell, and then one thing. */
export const idleWatches: Attack = {
  name: 'idle-watches',
  async run({ target, tally }) {
    const all = Array.from({ length: connections }, () => new Connection(target));
    try {
      const streams: ClientHttp2Stream[] = [];
      const message = envelope(watching({}));
      while (streams.length < watches) {
        const opened = Array.from({ length: atOnce }, (_, i) =>
          (all[i % connections] as Connection).open('/cosi.resource.State/Watch', message),
        );
        await answered(Promise.all(opened.map(data)), 'idle watches', undefined, limitMs);
        streams.push(...opened);
      }
      const told = Promise.all(streams.map(data));
      tally.add(await createThing(all[0] as Connection, 'news'));
      await answered(told, 'news for idle watches', undefined, limitMs);
      tally.add('told', streams.length);
    } finally {
      await Promise.all(all.map((connection) => connection[Symbol.asyncDispose]()));
    }
  },
};

/** Resolves when something comes, or the stream ends. */
function data(stream: ClientHttp2Stream): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('data', done);
      stream.off('close', done);
      resolve();
    };
    stream.once('data', done);
    stream.once('close', done);
  });
}
