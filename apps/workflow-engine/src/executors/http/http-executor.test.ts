import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { JsonValue } from '@cosi-ts/resource';
import { describe, expect, it } from 'vitest';
import { type Outcome, StopReason } from '../executor.js';
import { attemptAt, testContext } from '../testing/attempts.js';
import { httpServer } from '../testing/http-server.js';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { HttpExecutor } from './http-executor.js';
import type { HttpOptions } from './options.js';

interface Sent {
  readonly outcome: Outcome;
  readonly log: string;
}

async function send(action: JsonValue, options: HttpOptions = {}, context = testContext()): Promise<Sent> {
  const folder = await temporaryFolder();
  const executor = new HttpExecutor(folder, options);
  const outcome = await executor.execute(attemptAt(action), context);
  return { outcome, log: await readFile(join(folder, 'logs', 'r1/build/1.log'), 'utf8') };
}

const json = { 'content-type': 'application/json; charset=utf-8' };

describe('a request', () => {
  it('gives the answer as outputs, and takes the idempotency key along', async () => {
    const server = await httpServer((_, response) => {
      response.writeHead(201, { ...json, etag: '"1"', 'x-other': 'x' }).end('{"id":7}');
    });
    const { outcome, log } = await send({
      method: 'post',
      url: `${server.url}/things?q=1`,
      headers: { 'X-Mine': 'y' },
      body: { name: 'a' },
    });
    expect(outcome).toEqual({
      state: 'succeeded',
      outputs: { status: 201, headers: { 'content-type': json['content-type'], etag: '"1"' }, body: { id: 7 } },
    });
    expect(server.requests).toEqual([
      {
        method: 'POST',
        path: '/things?q=1',
        body: '{"name":"a"}',
        headers: expect.objectContaining({
          'x-mine': 'y',
          'content-type': 'application/json',
          'idempotency-key': 'key-of-r1.build',
          'user-agent': 'cosi-ts-workflow-engine',
        }),
      },
    ]);
    expect(log).toMatch(/\tengine\tPOST http:\/\/127.0.0.1:\d+\/things\?q=1: 201 after \d+ ms\n$/);
  });

  it.each<[string, Record<string, string>, string | Buffer, JsonValue]>([
    ['text', { 'content-type': 'text/plain' }, '{"a":1}', '{"a":1}'],
    ['nothing', {}, '', ''],
    ['JSON of a kind', { 'content-type': 'application/problem+json' }, '[1]', [1]],
    ['packed', { 'content-type': 'application/json', 'content-encoding': 'gzip' }, gzipSync('"x"'), 'x'],
    ['an empty answer that says it is JSON', json, '', ''],
  ])('has a body: %s', async (_, headers, sent, body) => {
    const server = await httpServer((_request, response) => void response.writeHead(200, headers).end(sent));
    const { outcome } = await send({ method: 'GET', url: server.url });
    expect(outcome).toMatchObject({ state: 'succeeded', outputs: { body } });
  });

  it('sends texts as they are', async () => {
    const server = await httpServer((_, response) => void response.end());
    await send({ method: 'PUT', url: server.url, body: 'a=1' });
    await send({
      method: 'PUT',
      url: server.url,
      body: 'a=1',
      headers: { 'Content-Type': 'text/x', 'Idempotency-Key': 'mine' },
    });
    expect(
      server.requests.map(({ body, headers }) => [body, headers['content-type'], headers['idempotency-key']]),
    ).toEqual([
      ['a=1', 'text/plain; charset=utf-8', 'key-of-r1.build'],
      ['a=1', 'text/x', 'mine'],
    ]);
  });

  it('may expect any status', async () => {
    const server = await httpServer((_, response) => void response.writeHead(404).end('none'));
    const expected = await send({
      method: 'GET',
      url: server.url,
      expect: [
        { from: 200, to: 200 },
        { from: 404, to: 404 },
      ],
    });
    expect(expected.outcome).toMatchObject({ state: 'succeeded', outputs: { status: 404, body: 'none' } });
  });

  it.each([
    [500, 'error'],
    [503, 'error'],
    [429, 'error'],
    [408, 'error'],
    [409, 'error'],
    [304, 'error'],
    [400, 'rejected'],
    [401, 'rejected'],
    [403, 'rejected'],
    [404, 'rejected'],
    [405, 'rejected'],
    [410, 'rejected'],
    [422, 'rejected'],
  ])('that is answered with %i has failed: %s', async (status, reason) => {
    const server = await httpServer(
      (_, response) => void response.writeHead(status).end(status === 304 ? undefined : 'why\n'),
    );
    const { outcome, log } = await send({ method: 'GET', url: `${server.url}/a` });
    const message = `GET ${server.url}/a: ${status}${status === 304 ? '' : ': why'}`;
    expect(outcome).toEqual({ state: 'failed', reason, message });
    expect(log).toContain(message);
  });

  it('shows the beginning of a long answer only', async () => {
    const server = await httpServer((_, response) => void response.writeHead(500).end('x'.repeat(100_000)));
    const { outcome } = await send({ method: 'GET', url: server.url });
    expect(outcome).toHaveProperty('message', `GET ${server.url}/: 500: ${'x'.repeat(500)}…`);
  });

  it('has failed when nobody answers', async () => {
    const server = await httpServer((_, response) => response.destroy());
    const { outcome } = await send({ method: 'GET', url: server.url });
    expect(outcome).toMatchObject({
      state: 'failed',
      reason: 'error',
      message: expect.stringContaining('fetch failed: '),
    });
  });

  it('tells its status also when the answer breaks off', async () => {
    const server = await httpServer((_, response) => {
      response.writeHead(500, { 'content-length': '100' }).write('half', () => response.destroy());
    });
    const { outcome } = await send({ method: 'GET', url: server.url });
    expect(outcome).toMatchObject({ reason: 'error', message: expect.stringContaining(`GET ${server.url}/: 500`) });
  });

  it('takes no more than its limit', async () => {
    const server = await httpServer((_, response) => {
      // Packed, it is much smaller.
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000)));
    });
    const { outcome } = await send({ method: 'GET', url: server.url }, { maxBodyBytes: 1000 });
    const message = `GET ${server.url}/: the answer is larger than 1000 bytes`;
    expect(outcome).toEqual({ state: 'failed', reason: 'rejected', message });
  });

  it('is rejected when the answer is not what it says', async () => {
    const server = await httpServer((_, response) => void response.writeHead(200, json).end('{'));
    const { outcome } = await send({ method: 'GET', url: server.url });
    expect(outcome).toMatchObject({ reason: 'rejected', message: expect.stringContaining('says that it is JSON') });
  });

  it('E17: ends when it is asked to', async () => {
    const context = testContext();
    const server = await httpServer(() => context.stop.abort(new StopReason('timeout', 'too long')));
    const { outcome } = await send({ method: 'GET', url: server.url }, {}, context);
    expect(outcome).toEqual({ state: 'failed', reason: 'timeout', message: 'too long' });
  });

  it('E17: ends in the middle of an answer', async () => {
    const context = testContext();
    const server = await httpServer((_, response) => {
      response
        .writeHead(200)
        .write('a', () => setImmediate(() => context.stop.abort(new StopReason('cancelled', 'enough'))));
    });
    const { outcome } = await send({ method: 'GET', url: server.url }, {}, context);
    expect(outcome).toEqual({ state: 'failed', reason: 'cancelled', message: 'enough' });
  });

  it.each<[string, JsonValue, string]>([
    ['no URL', { method: 'GET', url: 'here' }, 'url is no URL: "here"'],
    ['another protocol', { method: 'GET', url: 'file:///etc/passwd' }, 'must begin with http:// or https://'],
    ['a password in the URL', { method: 'GET', url: 'http://me:pw@a' }, 'holds a user or a password'],
    ['no method', { method: 'G T', url: 'http://a' }, 'method cannot be "G T"'],
    ['a body with GET', { method: 'GET', url: 'http://a', body: 'x' }, 'body cannot go with GET'],
    ['a bad header', { method: 'GET', url: 'http://a', headers: { 'a b': 'x' } }, 'headers.a b cannot be a header'],
    ['a bad value', { method: 'GET', url: 'http://a', headers: { a: 'x\ny' } }, 'headers.a cannot be a header'],
    ['a bad range', { method: 'GET', url: 'http://a', expect: [{ from: 300, to: 200 }] }, 'expect.0 must be a range'],
    ['no secret', { method: 'GET', url: 'http://a', secretHeaders: { a: { secret: 's', key: 'k' } } }, "doesn't exist"],
  ])('is rejected: %s', async (_, action, message) => {
    const { outcome } = await send(action);
    expect(outcome).toMatchObject({ state: 'failed', reason: 'rejected', message: expect.stringContaining(message) });
  });
});

describe('secrets', () => {
  const secretHeaders = { 'X-Api-Key': { secret: 's', key: 'k' } };
  const context = () => testContext(0, { 's/k': 'hunter2' });

  it('go along, and are in no message and no log', async () => {
    const server = await httpServer((request, response) => {
      response.writeHead(500).end(`wrong key ${request.headers['x-api-key']}`);
    });
    const { outcome, log } = await send({ method: 'GET', url: server.url, secretHeaders }, {}, context());
    expect(outcome).toHaveProperty('message', `GET ${server.url}/: 500: wrong key ***`);
    expect(server.requests[0]?.headers['x-api-key']).toBe('hunter2');
    expect(log).not.toContain('hunter2');
  });

  it.each([
    ['at the end of what is shown', 500, `${'x'.repeat(495)}hunter2`],
    ['in what is no JSON', 200, '{ hunter2'],
  ])('are masked %s', async (_, status, body) => {
    const server = await httpServer((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
    const { outcome, log } = await send({ method: 'GET', url: server.url, secretHeaders }, {}, context());
    expect(outcome.state).toBe('failed');
    expect(JSON.stringify([outcome, log])).not.toMatch(/hunt|nter/);
  });

  it('that cannot be headers are rejected, and not shown', async () => {
    const { outcome, log } = await send(
      { method: 'GET', url: 'http://127.0.0.1:1', secretHeaders },
      {},
      testContext(0, { 's/k': 'hun\nter2' }),
    );
    const message = 'the secret s/k cannot be the value of the header X-Api-Key';
    expect(outcome).toEqual({ state: 'failed', reason: 'rejected', message });
    expect(log).not.toContain('ter2');
  });

  it('are followed to the same origin only', async () => {
    const other = await httpServer((_, response) => void response.end('elsewhere'));
    const server = await httpServer((request, response) => {
      const location = request.path === '/' ? '/next' : other.url;
      response.writeHead(307, { location }).end();
    });
    const action = { method: 'POST', url: server.url, secretHeaders, headers: { 'X-Open': 'y' }, body: 'b' };
    const { outcome } = await send(action, {}, context());
    expect(outcome).toMatchObject({ outputs: { body: 'elsewhere' } });
    expect(server.requests.map((request) => request.headers['x-api-key'])).toEqual(['hunter2', 'hunter2']);
    expect(other.requests[0]).toMatchObject({ method: 'POST', body: 'b', headers: { 'x-open': 'y' } });
    expect(other.requests[0]?.headers).not.toHaveProperty('x-api-key');
  });
});

describe('redirections', () => {
  it.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [302, 'PUT', 'PUT', 'b'],
    [307, 'POST', 'POST', 'b'],
    [308, 'POST', 'POST', 'b'],
  ])('%i of %s is followed by %s', async (status, method, then, body) => {
    const server = await httpServer((request, response) => {
      if (request.path === '/') response.writeHead(status, { location: '/next' });
      response.end();
    });
    expect((await send({ method, url: server.url, body: 'b' })).outcome.state).toBe('succeeded');
    expect(server.requests[1]).toMatchObject({ method: then, body, path: '/next' });
  });

  it('end', async () => {
    const server = await httpServer((_, response) => void response.writeHead(302, { location: '/' }).end());
    const { outcome } = await send({ method: 'GET', url: server.url }, { maxRedirects: 3 });
    expect(outcome).toMatchObject({ reason: 'rejected', message: `GET ${server.url}/: more than 3 redirections` });
    expect(server.requests).toHaveLength(4);
  });

  it('are answers where they are expected, or lead nowhere', async () => {
    const server = await httpServer(
      (_, response) => void response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    );
    const expected = await send({ method: 'GET', url: server.url, expect: [{ from: 302, to: 302 }] });
    expect(expected.outcome).toMatchObject({ outputs: { status: 302, headers: { location: 'file:///etc/passwd' } } });
    const followed = await send({ method: 'GET', url: server.url });
    expect(followed.outcome).toMatchObject({
      reason: 'rejected',
      message: expect.stringContaining('no address of the web'),
    });
  });
});
