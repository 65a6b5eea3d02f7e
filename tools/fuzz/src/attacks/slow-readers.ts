import type { Attack } from '../attack.js';
import { Connection, envelope } from '../grpc.js';
import { createThing, listing, watching } from '../things.js';

const things = 100;
const specBytes = 100_000;
const connections = 5;
const streamsOfConnection = 10;
const writes = 60;

/** Lists and watches of much that nobody reads, while it changes. */
export const slowReaders: Attack = {
  name: 'slow-readers',
  async run({ target, random, tally }) {
    await using writer = new Connection(target);
    for (let i = 0; i < things; i++) tally.add(await createThing(writer, `large-${i}`, { specBytes }));
    const readers = Array.from({ length: connections }, () => new Connection(target));
    try {
      for (const reader of readers) {
        for (let i = 0; i < streamsOfConnection; i++) {
          const [rpc, message] = random.pick([
            ['List', listing({})],
            ['Watch', watching({ bootstrapContents: true })],
            ['Watch', watching({ bootstrapContents: true, aggregated: true })],
            ['Watch', watching({ tailEvents: 1000, aggregated: true })],
          ] as const);
          const stream = reader.open(`/cosi.resource.State/${rpc}`, envelope(message));
          stream.pause();
          await new Promise((resolve) => stream.once('response', resolve).once('close', resolve));
        }
        // Some do not read from the connection at all.
        if (random.float() < 0.5) reader.socket.pause();
      }
      for (let i = 0; i < writes; i++) tally.add(await createThing(writer, `more-${i}`, { specBytes }));
      tally.add('unread streams', connections * streamsOfConnection);
    } finally {
      await Promise.all(readers.map((reader) => reader[Symbol.asyncDispose]()));
    }
  },
};
