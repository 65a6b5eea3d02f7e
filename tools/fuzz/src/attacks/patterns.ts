import type { Attack } from '../attack.js';
import { Connection, checkStatus } from '../grpc.js';
import { hostilePattern } from '../texts.js';
import { createThing, listing, watching } from '../things.js';

const things = 100;
const patterns = 40;

/** Id queries with catastrophic patterns, on ids that bring them out. */
export const hostilePatterns: Attack = {
  name: 'patterns',
  async run({ target, random, tally }) {
    await using connection = new Connection(target);
    const letters = ['a', 'x', 'ab', 'Z'] as const;
    for (let i = 0; i < things; i++) await createThing(connection, `${random.pick(letters).repeat(500)}${i}!`);
    for (let i = 0; i < patterns; i++) {
      const regexp = hostilePattern(random);
      const sent = Buffer.from(regexp);
      tally.add(checkStatus('List', await connection.call('List', listing({ idQuery: { regexp } })), sent));
      const options = { idQuery: { regexp }, bootstrapContents: true };
      tally.add(checkStatus('Watch', await connection.call('Watch', watching(options)), sent));
    }
  },
};
