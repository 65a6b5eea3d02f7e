import { InMemoryState } from '@cosi-ts/state-inmem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cors } from './cors.js';
import { type StateServer, serveState } from './serve-state.js';

const page = 'https://console.example.org';
let server: StateServer;

beforeAll(async () => {
  server = await serveState(new InMemoryState(), { address: '127.0.0.1:0', cors: { origins: [page] } });
});

afterAll(() => server.close());

function call(headers: Record<string, string>, method = 'POST'): Promise<Response> {
  return fetch(`${server.url}/cosi.resource.State/Get`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(method === 'POST' && { body: '{"namespace":"a","type":"T","id":"x"}' }),
  });
}

describe('pages in browsers', () => {
  it('N8: of a listed origin may call, and see what they need of the answer', async () => {
    const answer = await call({ origin: page });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: 'not_found' });
    expect(answer.headers.get('access-control-allow-origin')).toBe(page);
    expect(answer.headers.get('vary')).toBe('origin');
    const exposed = answer.headers.get('access-control-expose-headers')?.toLowerCase().split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining(['grpc-status', 'grpc-message', 'grpc-status-details-bin', 'server']),
    );
  });

  it('N8: are told so before they call', async () => {
    const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
    const answer = await call({ origin: page, ...asked }, 'OPTIONS');
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(page);
    expect(answer.headers.get('access-control-allow-methods')).toContain('POST');
    const allowed = answer.headers.get('access-control-allow-headers')?.toLowerCase().split(', ');
    expect(allowed).toEqual(
      expect.arrayContaining([
        'content-type',
        'authorization',
        'x-grpc-web',
        'grpc-timeout',
        'connect-protocol-version',
      ]),
    );
    expect(Number(answer.headers.get('access-control-max-age'))).toBeGreaterThan(0);
  });

  it.each(['https://evil.example', 'http://console.example.org', 'https://console.example.org.evil.example', 'null'])(
    'N8: of the origin %s may not',
    async (origin) => {
      for (const method of ['POST', 'OPTIONS']) {
        const answer = await call({ origin }, method);
        expect(answer.status).toBe(403);
        expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      }
    },
  );
});

describe('Cors', () => {
  const judge = (cors: Cors, origin: string | undefined, host: string, method = 'POST') => {
    const response = { setHeader() {} };
    const request = { method, headers: { host, ...(origin !== undefined && { origin }) } };
    return cors.judge(request as never, response as never);
  };

  it('N8: a page that is served here may call, unless anyone could have named this place', () => {
    const cors = new Cors();
    expect(judge(cors, undefined, 'state.example.org')).toBe('call');
    expect(judge(cors, 'http://127.0.0.1:4001', '127.0.0.1:4001')).toBe('call');
    expect(judge(cors, 'http://localhost:4001', 'localhost:4001')).toBe('call');
    expect(judge(cors, 'http://[::1]:4001', '[::1]:4001')).toBe('call');
    expect(judge(cors, 'http://127.0.0.1:5173', '127.0.0.1:4001')).toBe('refuse');
    // A name that its owner has let point here, so that the page is of the same origin.
    expect(judge(cors, 'http://evil.example:4001', 'evil.example:4001')).toBe('refuse');
    expect(judge(cors, 'no origin', 'no origin')).toBe('refuse');
  });

  it('N8: a star lists all', () => {
    const cors = new Cors({ origins: ['*'] });
    expect(judge(cors, 'https://any.example', 'state.example.org')).toBe('call');
    expect(judge(cors, 'https://any.example', 'state.example.org', 'OPTIONS')).toBe('preflight');
  });

  it.each(['https://a.example/', 'a.example', 'https://a.example:443', 'https://A.example', 'https://a.example/b', ''])(
    'refuses the origin %s',
    (origin) => {
      expect(() => new Cors({ origins: [origin] })).toThrow(TypeError);
    },
  );

  it('N8: cookies are sent along where that is allowed, and never from all pages', async () => {
    expect(() => new Cors({ origins: ['*'], credentials: true })).toThrow(TypeError);
    await using open = await serveState(new InMemoryState(), {
      address: '127.0.0.1:0',
      cors: { origins: [page], credentials: true },
    });
    const answer = await fetch(`${open.url}/cosi.resource.State/Get`, { method: 'OPTIONS', headers: { origin: page } });
    expect(answer.headers.get('access-control-allow-credentials')).toBe('true');
    expect((await call({ origin: page }, 'OPTIONS')).headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('takes origins of any scheme', () => {
    expect(judge(new Cors({ origins: ['chrome-extension://abc'] }), 'chrome-extension://abc', 'x')).toBe('call');
  });
});
