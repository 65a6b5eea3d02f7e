import type { Seeded } from '@cosi-ts/harness';
import { type Attack, type Case, Finding } from '../attack.js';
import { mutated, randomBytes } from '../mutate.js';
import { RawSocket } from '../sockets.js';

const body = '{"namespace":"attack","type":"Things.fuzz.cosi.dev","id":"one"}';

function request(more = '', text = body, line = 'POST /cosi.resource.State/Get HTTP/1.1'): string {
  return `${line}\r\nhost: x\r\ncontent-type: application/json\r\n${more}content-length: ${text.length}\r\n\r\n${text}`;
}

/** Requests that are none, or that servers have understood in two ways. */
const requests: readonly ((random: Seeded) => Uint8Array | string)[] = [
  (random) => randomBytes(random, 1 + random.below(5000)),
  (random) => mutated(Buffer.from(request()), random),
  (random) => mutated(Buffer.from(request()), random),
  (random) => mutated(Buffer.from(request()), random),
  () => 'GET\r\n\r\n',
  () => '\r\n'.repeat(2000),
  () => `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
  () => `POST / HTTP/1.1\r\n${'x: y\r\n'.repeat(5000)}\r\n`,
  () => `POST / HTTP/1.1\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`,
  () => request('content-length: 5\r\n'),
  () => request('transfer-encoding: chunked\r\n', '0\r\n\r\nGET / HTTP/1.1\r\n\r\n'),
  () => request('transfer-encoding: identity, chunked\r\n'),
  () => request('transfer-encoding:\u000bchunked\r\n'),
  () =>
    'POST /cosi.resource.State/Get HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n',
  () =>
    'POST /cosi.resource.State/Get HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n5\r\nabc',
  () =>
    `POST /cosi.resource.State/Get HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${'1;x=y\r\na\r\n'.repeat(5000)}0\r\n\r\n`,
  () =>
    'POST /cosi.resource.State/Get HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{',
  () =>
    'POST /cosi.resource.State/Get HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: -1\r\n\r\n{}',
  () => request('expect: 100-continue\r\n'),
  () => request('expect: the-unexpected\r\n'),
  () => request('connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAARAAAAAAAIAAAAA\r\n'),
  () => request('connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: x\r\n'),
  () => request('', body, 'CONNECT x:1 HTTP/1.1'),
  () => request('', body, 'TRACE / HTTP/1.1'),
  () => request('', body, 'OPTIONS * HTTP/1.1'),
  () => request('', body, 'POST http://[::1:80/cosi.resource.State/Get HTTP/1.1'),
  () => request('', body, 'POST /cosi.resource.State/Get HTTP/1.0'),
  () => request('', body, 'POST /cosi.resource.State/Get HTTP/9.9'),
  () => request('', body, 'POST //../cosi.resource.State/Get?x=%ff#y HTTP/1.1'),
  () => 'PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n',
  () => 'PRI * HTTP/2.0\r\n\r\n',
  () => 'PRI',
  () => Buffer.from('1603010200010001fc0303', 'hex'),
  () => '\0',
];

async function attackWith(its: Case, make: (random: Seeded) => Uint8Array | string): Promise<void> {
  await using raw = new RawSocket(its.target);
  const sent = Buffer.from(make(its.random));
  raw.write(sent);
  raw.socket.end();
  await raw.until(() => false, 'garbage', sent);
  const answer = raw.received.toString('latin1');
  const [, status] = /^HTTP\/1\.[01] (\d{3}) /.exec(answer) ?? [];
  its.tally.add(status === undefined ? 'closed' : `HTTP ${status}`);
  if (status?.startsWith('5') && status !== '501')
    throw new Finding(`garbage: HTTP ${status}: ${answer.slice(0, 300)}`, sent);
}

/** Bytes that look like HTTP/1.1, more or less. */
export const http1Garbage: Attack = {
  name: 'http1-garbage',
  async run(its) {
    await Promise.all(requests.map((make) => attackWith(its, make)));
  },
};

const pipelined = 300;

/** Many requests at once on one connection, answered in their order, whether all answers are awaited or not. */
export const pipelining: Attack = {
  name: 'pipelining',
  async run(its) {
    const ids = Array.from({ length: pipelined }, (_, i) => `pipelined-${i}-of-${its.random.below(1e6)}`);
    const sent = Buffer.from(ids.map((id) => request('', body.replace('one', id))).join(''));
    await using raw = new RawSocket(its.target);
    raw.write(sent);
    const answers = (received: Buffer) => received.toString('latin1').match(/pipelined-\d+-of-\d+/g) ?? [];
    // Each answer has the id in its text and in the pointer of its detail.
    const order = (received: Buffer) => [...new Set(answers(received))];
    await raw.until((received) => order(received).length >= pipelined, 'pipelined requests');
    if (order(raw.received).join() !== ids.join())
      throw new Finding('pipelined requests were answered out of order', sent);
    its.tally.add('in order', pipelined);
    await using hasty = new RawSocket(its.target);
    hasty.write(sent);
    await hasty.until((received) => received.length > 0, 'pipelined requests');
    await hasty.end('reset');
  },
};
