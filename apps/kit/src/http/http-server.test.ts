import { request } from 'node:http';
import { connect } from 'node:net';
import { NotFoundError } from '@cosi-ts/resource';
import { systemClock } from '@cosi-ts/state';
import { RecordingLogger } from '@cosi-ts/testing';
import { describe, expect, it } from 'vitest';
import { FieldError } from '../specs/field-error.js';
import { Thing } from '../testdata/things.js';
import { complaints } from '../testing/complaints.js';
import { HttpServer } from './http-server.js';
import { readJson } from './request-body.js';
import { idField } from './request-fields.js';
import { type Route, route } from './router.js';

/** A server of things. */
class Fixture implements AsyncDisposable {
  readonly logger = new RecordingLogger();
  #server: HttpServer | undefined;

  static async start(routes: readonly Route[] = thingRoutes, allowedHosts: readonly string[] = []): Promise<Fixture> {
    const fixture = new Fixture();
    fixture.#server = await HttpServer.listen({
      host: '127.0.0.1',
      port: 0,
      routes,
      fallback: () => false,
      allowedHosts,
      nameOf: (type) => (type === Thing.type ? 'thing' : type),
      logger: fixture.logger,
      clock: systemClock,
    });
    return fixture;
  }

  get url(): string {
    return this.#server?.url ?? '';
  }

  async call(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
    const response = await fetch(`${this.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.close();
  }
}

const thingRoutes = [
  route('GET', '/things', () => ({ status: 200, body: { things: [] } })),
  route('GET', '/things/:id', ({ params }) => {
    throw new NotFoundError(Thing.at(params.id as string));
  }),
  route('POST', '/things', async ({ raw }) => {
    const fields = await readJson(raw);
    const id = idField(fields);
    if (fields.size === 0) throw new FieldError('size', 'must not be 0');
    return { status: 201, body: { id } };
  }),
  route('GET', '/broken', () => {
    throw new TypeError('a fault of the program, with its secrets');
  }),
];

describe('the HTTP server', () => {
  it('says what is wrong with a request, and what to do', async () => {
    await using fixture = await Fixture.start();
    const json = { 'content-type': 'application/json' };
    const call = fixture.call.bind(fixture);
    expect(await call('POST', '/things', '{"id": "a"}', json)).toMatchObject({ status: 201, body: { id: 'a' } });
    expect(await call('POST', '/things', '{"id": "a", "size": 0}', json)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid-argument', field: 'size', message: 'size: must not be 0' } },
    });
    expect(await call('POST', '/things', '{"id": "a/b"}', json)).toMatchObject({
      status: 400,
      body: { error: { field: 'id' } },
    });
    expect(await call('POST', '/things', '{', json)).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('no JSON') } },
    });
    expect(await call('POST', '/things', '[]', json)).toMatchObject({ status: 400 });
    const deep = `{"id": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(await call('POST', '/things', deep, json)).toMatchObject({
      status: 400,
      body: { error: { message: 'the body is nested too deeply' } },
    });
    expect(await call('POST', '/things', '{}', { 'content-type': 'text/html' })).toMatchObject({
      status: 415,
      body: { error: { hint: "send it with -H 'content-type: application/json'" } },
    });
    const refused = await call('PUT', '/things');
    expect(refused).toMatchObject({ status: 405, body: { error: { hint: 'use GET or POST' } } });
    expect(refused.headers.get('allow')).toBe('GET, POST');
    expect(await call('GET', '/nothing')).toMatchObject({ status: 404, body: { error: { code: 'not-found' } } });
    expect(await call('GET', '/things/a')).toMatchObject({
      status: 404,
      body: { error: { message: 'there is no thing "a"' } },
    });
    expect(await call('GET', '/things/%E0%A4%A')).toMatchObject({ status: 400 });
    const large = `{"id":"${'x'.repeat(2 * 1024 * 1024)}"}`;
    expect(await call('POST', '/things', large, json)).toMatchObject({
      status: 413,
      body: { error: { code: 'too-large' } },
    });
    expect(await call('GET', '/things')).toMatchObject({ status: 200, body: { things: [] } });
    expect(complaints(fixture.logger)).toEqual([]);
  });

  it('tells the log of a fault of its own, and clients only that there was one', async () => {
    await using fixture = await Fixture.start();
    const { status, body } = await fixture.call('GET', '/broken');
    expect({ status, body }).toEqual({
      status: 500,
      body: { error: { code: 'internal', message: 'something went wrong here; the log says what' } },
    });
    expect(complaints(fixture.logger)).toMatchObject([{ level: 'error', message: 'request failed' }]);
  });

  it('keeps pages from elsewhere out', async () => {
    await using fixture = await Fixture.start(thingRoutes, ['things.example']);
    const { port } = new URL(fixture.url);
    const status = (method: string, headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = request({ host: '127.0.0.1', port, path: '/things', method, headers }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        sent.on('error', reject);
        sent.end(method === 'POST' ? '{"id": "a"}' : undefined);
      });
    expect(await status('GET', { host: 'attacker.example' })).toBe(403);
    expect(await status('GET', { host: `things.example:${port}` })).toBe(200);
    expect(await status('GET', { host: `localhost:${port}` })).toBe(200);
    expect(await status('GET', { host: `[::1]:${port}` })).toBe(200);
    const host = `127.0.0.1:${port}`;
    expect(await status('POST', { host, origin: 'http://attacker.example' })).toBe(403);
    expect(await status('POST', { host, origin: 'null' })).toBe(403);
    expect(await status('POST', { host, 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await status('POST', { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' })).toBe(201);
    expect(await status('POST', { host })).toBe(201);
  });

  it('bears clients that send nonsense or go away', async () => {
    await using fixture = await Fixture.start();
    const { port } = new URL(fixture.url);
    for (const text of [
      'nonsense\r\n\r\n',
      'POST /things HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{"id"',
      'GET /things HTTP/1.1\r\nhost: localhost\r\n\r\n',
    ]) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), '127.0.0.1', () => socket.end(text));
        // Whoever got an answer goes without a word; the one with half a body gets none.
        socket.on('data', () => socket.destroy());
        socket.on('error', () => undefined);
        socket.on('close', () => resolve());
      });
    }
    expect((await fixture.call('GET', '/things')).status).toBe(200);
    expect(complaints(fixture.logger)).toEqual([]);
  });

  it('aborts what is being answered when it closes, and answers that it is stopping', async () => {
    let begun: () => void = () => undefined;
    const isBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const slow = route(
      'GET',
      '/slow',
      ({ signal }) =>
        new Promise((_, reject) => {
          begun();
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        }),
    );
    const fixture = await Fixture.start([slow]);
    const answer = fixture.call('GET', '/slow');
    await isBegun;
    await fixture[Symbol.asyncDispose]();
    expect(await answer).toMatchObject({ status: 503, body: { error: { message: 'the server is stopping' } } });
  });
});
