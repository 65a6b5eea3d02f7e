import http from 'node:http';
import { gzipSync } from 'node:zlib';
import { type Attack, Finding } from '../attack.js';
import { checkUnary, post } from '../connect.js';
import { Connection, checkStatus, envelope } from '../grpc.js';
import { creation, kind, listing } from '../things.js';

/** The server's default limit. */
const limit = 16 * 1024 * 1024;

/** Messages around the size limit and far beyond. */
export const giants: Attack = {
  name: 'giants',
  async run({ target, tally }) {
    await using connection = new Connection(target);
    const overhead = creation('giant', { specBytes: limit }).length - limit;
    const create = async (specBytes: number, wanted: string) => {
      const message = creation(`giant-${specBytes}`.padEnd(14), { specBytes });
      const status = checkStatus('Create', await connection.call('Create', message));
      if (status !== wanted) throw new Finding(`Create of ${message.length} bytes: ${status} instead of ${wanted}`);
      tally.add(status);
    };
    await create(limit - overhead - 1000, 'OK');
    await create(limit, 'ResourceExhausted');
    await create(4 * limit, 'ResourceExhausted');
    // Stored, but larger than a response may be together with the version that it was given.
    tally.add(checkStatus('List', await connection.call('List', listing({}))));
    const bomb = envelope(gzipSync(Buffer.alloc(20 * limit)), 1);
    const headers = { 'grpc-encoding': 'gzip' };
    tally.add(checkStatus('Create', await connection.send('/cosi.resource.State/Create', bomb, { headers })));
    const agent = new http.Agent();
    try {
      const body = (size: number) => JSON.stringify({ ...kind, id: 'x'.repeat(size) });
      const send = (size: number) => post(target, agent, '/cosi.resource.State/Get', 'application/json', body(size));
      tally.add(checkUnary('Get', await send(limit - 200), Buffer.alloc(0)));
      // Who sends more than is read may be cut off.
      const answer = await send(2 * limit).catch((error: NodeJS.ErrnoException) => error.code ?? 'failed');
      tally.add(typeof answer === 'string' ? answer : checkUnary('Get', answer, Buffer.alloc(0)));
    } finally {
      agent.destroy();
    }
  },
};
