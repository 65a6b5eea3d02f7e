import http from 'node:http';
import { type DescMessage, toJson } from '@bufbuild/protobuf';
import type { Seeded } from '@cosi-ts/harness';
import type { Attack } from '../attack.js';
import { checkStream, checkUnary, post } from '../connect.js';
import { envelope, type RpcName, rpcs } from '../grpc.js';
import { mutated, randomBytes } from '../mutate.js';
import { hostileRequest, requestSchemas } from '../requests.js';
import { oddText } from '../texts.js';

const callsOfCase = 120;

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const oddValues: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  '',
  'x',
  '\ud800',
  '99999999999999999999',
  'NaN',
  [],
  [[]],
  {},
  { '@type': 'type.googleapis.com/google.protobuf.Any' },
  ['x'],
  [null],
];

/** Bodies that are JSON, and not of this service. */
const bodies: readonly ((random: Seeded) => string)[] = [
  (random) => JSON.stringify(random.pick(oddValues)),
  (random) => '['.repeat(1 + random.below(100_000)),
  (random) => `${'{"a":'.repeat(1 + random.below(50_000))}1`,
  (random) => `{"options":${'{"options":'.repeat(random.below(5000))}{}${'}'.repeat(5000)}}`,
  () => '{"__proto__":{"namespace":"x"},"constructor":{"prototype":{"id":"y"}}}',
  () => '{"namespace":"a","namespace":"b"}',
  () => '{"id":1e400}',
  (random) => `{"namespace":"${'x'.repeat(random.below(1_000_000))}"}`,
  (random) => `{${Array.from({ length: random.below(50_000) }, (_, i) => `"k${i}":${i}`).join()}}`,
  () => '\ufeff{}',
  () => '{"namespace":"\\ud800"}',
  () => '{"namespace":"a"} trailing',
  () => '{"a":1,}',
  () => "{'a':1}",
  () => '',
];

/** The value with one of its parts replaced. */
function disfigured(value: Json, random: Seeded): Json {
  if (random.float() < 0.2 || typeof value !== 'object' || value === null) {
    return random.float() < 0.5 ? random.pick(oddValues) : oddText(random);
  }
  const keys = Object.keys(value);
  const key = keys.length === 0 ? 'x' : random.pick(keys);
  if (Array.isArray(value)) return value.map((item, i) => (String(i) === key ? disfigured(item, random) : item));
  return { ...value, [key]: disfigured(value[key] ?? null, random) };
}

function bodyOf(rpc: RpcName, random: Seeded): Uint8Array {
  const kind = random.float();
  if (kind < 0.15) return Buffer.from(random.pick(bodies)(random));
  if (kind < 0.2) return randomBytes(random, random.below(200));
  const json = jsonOf(rpc, random);
  if (kind < 0.6) return Buffer.from(JSON.stringify(disfigured(json, random)));
  const text = Buffer.from(JSON.stringify(json));
  return kind < 0.8 ? mutated(text, random) : text;
}

function jsonOf(rpc: RpcName, random: Seeded): Json {
  const request = hostileRequest(rpc, random);
  try {
    return toJson<DescMessage>(requestSchemas[rpc], request) as Json;
  } catch {
    // Not every time can be said in JSON.
    return jsonOf(rpc, random);
  }
}

/** Bodies in JSON, as browsers and curl send them. */
export const jsonBodies: Attack = {
  name: 'json',
  async run({ target, random, tally }) {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
    try {
      const calls = Array.from({ length: callsOfCase }, () => {
        const rpc = random.pick(rpcs);
        return { rpc, body: bodyOf(rpc, random) };
      });
      await Promise.all(
        calls.map(async ({ rpc, body }) => {
          const path = `/cosi.resource.State/${rpc}`;
          const headers = { 'connect-protocol-version': '1', 'connect-timeout-ms': '500' };
          if (rpc === 'List' || rpc === 'Watch') {
            const sent = envelope(body);
            const answer = await post(target, agent, path, 'application/connect+json', sent, headers);
            tally.add(checkStream(rpc, answer, sent));
          } else tally.add(checkUnary(rpc, await post(target, agent, path, 'application/json', body, headers), body));
        }),
      );
    } finally {
      agent.destroy();
    }
  },
};
