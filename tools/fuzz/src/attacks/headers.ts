import http from 'node:http';
import type { OutgoingHttpHeaders } from 'node:http2';
import { create, toBinary } from '@bufbuild/protobuf';
import { wire } from '@cosi-ts/proto';
import { type Attack, Finding } from '../attack.js';
import { checkUnary, post } from '../connect.js';
import { Connection, checkStatus, envelope, type Outcome } from '../grpc.js';
import { oddText } from '../texts.js';

const message = toBinary(
  wire.GetRequestSchema,
  create(wire.GetRequestSchema, { namespace: 'attack', type: 'T', id: 'one' }),
);
const path = '/cosi.resource.State/Get';

const timeouts = [
  '',
  '1',
  'S',
  '1S',
  '0n',
  '99999999H',
  '999999999S',
  '-1S',
  '1s',
  '1.5S',
  ' 1S',
  '1S1S',
  '\u00e4',
  '1'.repeat(5000),
];
const contentTypes = [
  '',
  'x',
  'text/plain',
  'application/grpc+json',
  'application/grpc+xml',
  'application/grpc;charset=utf-8',
  'application/grpcx',
  'application/GRPC',
  'application/json',
  'application/proto',
  'application/connect+proto',
  'multipart/form-data',
  `application/grpc${'+'.repeat(3000)}`,
];
const encodings = ['', 'gzip', 'gzip, br', 'identity', 'br', 'nonsense', 'x'.repeat(5000)];

/** Headers that a call may have, and those that it must not have. */
const variants: readonly OutgoingHttpHeaders[] = [
  ...timeouts.map((timeout) => ({ 'grpc-timeout': timeout })),
  ...contentTypes.map((contentType) => ({ 'content-type': contentType })),
  ...encodings.map((encoding) => ({ 'grpc-encoding': encoding })),
  ...encodings.map((encoding) => ({ 'grpc-accept-encoding': encoding })),
  { te: undefined },
  { ':method': 'GET' },
  { ':method': 'PUT' },
  { ':method': 'OPTIONS' },
  { ':method': 'HEAD' },
  { ':path': '/' },
  { ':path': '/cosi.resource.State' },
  { ':path': '/cosi.resource.State/Nothing' },
  { ':path': '/cosi.resource.State/Get/' },
  { ':path': '/cosi.resource.State/Get?x=y' },
  { ':path': '//' },
  { ':path': '*' },
  { ':path': '/%00' },
  { ':path': `/${'a/../'.repeat(2000)}` },
  { ':scheme': 'javascript' },
  { ':authority': 'x y' },
  { ':authority': '' },
  { ':authority': '[::1' },
  { 'x-bin': 'not base64!' },
  { 'grpc-trace-bin': '====' },
  { 'content-length': '0' },
  { 'content-length': '1000' },
  { 'content-length': 'x' },
  { authorization: 'Bearer '.repeat(1000) },
  { cookie: 'a=b; '.repeat(1000) },
  { 'connect-protocol-version': '7' },
  { 'connect-timeout-ms': 'x' },
  { origin: 'null' },
  { host: 'elsewhere' },
  { 'x-large': 'x'.repeat(15_000) },
  { 'x-larger': 'x'.repeat(60_000) },
  { 'x-largest': 'x'.repeat(200_000) },
  Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`x-${i}`, 'y'])),
  Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`x-${i}`, 'y'])),
];

const http1Variants: readonly http.OutgoingHttpHeaders[] = [
  ...['', '0', '-1', 'x', '1.5', '99999999999', '1e3'].map((timeout) => ({ 'connect-timeout-ms': timeout })),
  ...['0', '2', 'x', ''].map((version) => ({ 'connect-protocol-version': version })),
  ...['gzip', 'br', 'x'].map((encoding) => ({ 'content-encoding': encoding })),
  ...['gzip', '*', 'x;q=9'].map((encoding) => ({ 'accept-encoding': encoding })),
];

/** Calls with headers that are wrong, many, or large. */
export const headers: Attack = {
  name: 'headers',
  async run({ target, random, tally }) {
    for (const variant of [...variants, { 'x-odd': visible(oddText(random)) }]) {
      // A connection of its own: what is too large may end it.
      await using connection = new Connection(target);
      const what = `headers ${JSON.stringify(variant).slice(0, 100)}`;
      let outcome: Awaited<ReturnType<Connection['send']>>;
      try {
        outcome = await connection.send(path, envelope(message), { headers: variant });
      } catch (error) {
        if (error instanceof Finding) throw error;
        tally.add('not sent');
        continue;
      }
      const { httpStatus, status, reset } = outcome;
      // Refused as a stream, or with a status of HTTP.
      if (httpStatus === undefined && reset !== 0) tally.add('reset');
      else if (httpStatus === undefined) throw new Finding(`${what}: no answer`);
      else if (outcome.headers['content-type'] === 'application/json')
        tally.add(connectStatus(what, httpStatus, outcome));
      else if (httpStatus >= 500) throw new Finding(`${what}: HTTP status ${httpStatus}`);
      else if (httpStatus !== 200 || status === undefined) tally.add(`HTTP ${httpStatus}`);
      else tally.add(checkStatus(what, outcome));
    }
    const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
    try {
      for (const variant of http1Variants) {
        const answer = await post(target, agent, path, 'application/json', '{}', variant);
        tally.add(checkUnary(`headers ${JSON.stringify(variant)}`, answer, Buffer.from('{}')));
      }
    } finally {
      agent.destroy();
    }
  },
};

/** Content types of the Connect protocol are answered in its own way. */
function connectStatus(what: string, status: number, { headers, body }: Outcome): string {
  return checkUnary(what, { status, headers, body }, envelope(message));
}

/** What may stand in a header. */
function visible(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').trim();
}
