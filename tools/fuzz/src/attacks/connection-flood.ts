import type { Attack } from '../attack.js';
import { preface } from '../frames.js';
import { Connection } from '../grpc.js';
import { RawSocket } from '../sockets.js';

const connections = 1000;

const beginnings: readonly (string | Uint8Array)[] = [
  '',
  'P',
  'PRI * HTT',
  preface,
  'POST /cosi.resource.State/Get HTTP/1.1\r\n',
  Buffer.from('1603010200010001fc0303', 'hex'),
];

/** Many connections at once that begin something, or nothing, and then go or stay a while. */
export const connectionFlood: Attack = {
  name: 'connection-flood',
  async run({ target, random, tally }) {
    const sockets = Array.from({ length: connections }, () => {
      const raw = new RawSocket(target);
      raw.write(random.pick(beginnings));
      return raw;
    });
    for (const raw of sockets) if (random.float() < 0.3) await raw.end(random.pick(['close', 'reset'] as const));
    // Beside them somebody else is served.
    await using connection = new Connection(target);
    const { status } = await connection.call('Get', new Uint8Array());
    tally.add(status ?? 'nothing');
    await Promise.all(sockets.map((raw) => raw.end(random.pick(['close', 'reset'] as const))));
    tally.add('connections', connections);
  },
};
