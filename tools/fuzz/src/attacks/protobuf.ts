import { setImmediate as turn } from 'node:timers/promises';
import type { Attack, Case } from '../attack.js';
import { Connection, checkStatus, type RpcName, rpcs } from '../grpc.js';
import { mutated, randomBytes } from '../mutate.js';
import { hostileBytes } from '../requests.js';

/** Streams that a client cancels count against its connection. */
const callsOfCase = 200;
const atOnce = 20;

/** Sends messages, and checks that each is answered with a status. */
async function sendAll(its: Case, message: (rpc: RpcName) => Uint8Array): Promise<void> {
  await using connection = new Connection(its.target);
  for (let sent = 0; sent < callsOfCase; sent += atOnce) {
    const calls: { readonly rpc: RpcName; readonly bytes: Uint8Array }[] = [];
    while (calls.length < atOnce) {
      const rpc = its.random.pick(rpcs);
      calls.push({ rpc, bytes: message(rpc) });
      // Some take long to make, and a client that does not answer pings meanwhile loses its connection.
      await turn();
    }
    await Promise.all(
      calls.map(async ({ rpc, bytes }) => {
        // Waits for the resource to be free, which may be never.
        const waits = rpc === 'TeardownAndDestroy';
        const headers = waits ? { 'grpc-timeout': '50m' } : {};
        its.tally.add(checkStatus(rpc, await connection.call(rpc, bytes, { headers }), bytes));
      }),
    );
  }
}

/** Well-formed messages whose fields are not. */
export const hostileMessages: Attack = {
  name: 'messages',
  run: (its) => sendAll(its, (rpc) => hostileBytes(rpc, its.random)),
};

/** Messages with faults in their bytes, and bytes that never were a message. */
export const brokenProtobuf: Attack = {
  name: 'protobuf',
  run: (its) =>
    sendAll(its, (rpc) => {
      const { random } = its;
      if (random.float() < 0.2) return randomBytes(random, random.below(300));
      return mutated(hostileBytes(rpc, random), random);
    }),
};
