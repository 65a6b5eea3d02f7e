import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { type CosiError, defineResource } from '@cosi-ts/resource';
import { type CallContext, filter } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { describe, expect, it } from 'vitest';
import { bearerTokens } from '../server/bearer-tokens.js';
import type { ServeStateOptions } from '../server/options.js';
import { serveState } from '../server/serve-state.js';
import { TestAuthority } from '../testdata/certificates.js';
import { connectState } from './connect-state.js';
import type { ConnectStateOptions } from './options.js';

const Thing = defineResource<{ n: number }>({ type: 'Things.test', namespace: 'a' });
const authority = new TestAuthority();
const own = authority.issueForLoopback();
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error as CosiError,
  );

/** Who the server takes a client for, or the error that it gets. */
async function known(
  server: ServeStateOptions,
  client: ConnectStateOptions,
  urlOf: (url: string) => string = (url) => url,
): Promise<CallContext | CosiError | undefined> {
  let context: CallContext | undefined;
  const core = filter(new InMemoryState(), (_access, called) => {
    context = called;
  });
  await using served = await serveState(core, { address: '127.0.0.1:0', ...server });
  await using state = connectState(urlOf(served.url), client);
  return (await failure(state.list(Thing.kind))) ?? context;
}

describe('TLS', () => {
  const server = { tls: { ...own } };

  it('N3: connects to a server whose authority is trusted', async () => {
    for (const ca of [
      authority.cert,
      Buffer.from(authority.cert),
      [new TestAuthority('others').cert, authority.cert],
    ]) {
      expect(await known(server, { tls: { ca } })).toMatchObject({ peer: expect.stringMatching(/^127/) });
    }
  });

  it('N3: says why a server is not trusted', async () => {
    expect(await known(server, { tls: {} })).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/comes from nobody who is trusted: is `tls\.ca` to be set\?/),
    });
    const ca = authority.cert;
    const named = { tls: authority.issue({ dns: ['state.internal'] }) };
    expect(await known(named, { tls: { ca } })).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/is for another name: is `tls\.serverName` to be set\?/),
    });
    expect(await known(named, { tls: { ca, serverName: 'state.internal' } })).toMatchObject({
      peer: expect.any(String),
    });
    const expired = { tls: authority.issue({ ips: ['127.0.0.1'], fromMs: -2e8, untilMs: -1e8 }) };
    expect(await known(expired, { tls: { ca } })).toMatchObject({ message: expect.stringMatching(/has expired$/) });
  });

  it('N3: says when a server expects TLS', async () => {
    expect(await known(server, {}, (url) => url.replace('https:', 'http:'))).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/expect https: instead of http:/),
    });
  });

  it('says when what answers speaks TLS but not HTTP/2', async () => {
    const plain = tls.createServer({ ...own, ALPNProtocols: ['http/1.1'] });
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const { port } = plain.address() as { port: number };
    await using client = connectState(`https://127.0.0.1:${port}`, { tls: { ca: authority.cert } });
    expect(await failure(client.list(Thing.kind))).toMatchObject({ code: 'unavailable' });
    await new Promise((resolve) => plain.close(resolve));
  });

  it('N8: the client shows its certificate, which may change between connections', async () => {
    const mutual = { tls: { ...own, clientCa: authority.cert, requireClientCert: true } };
    const ca = authority.cert;
    const ours = authority.issue({ commonName: 'machine-7' });
    expect(await known(mutual, { tls: { ca, ...ours } })).toMatchObject({ identity: 'machine-7' });
    expect(await known(mutual, { tls: async () => ({ ca, ...ours }) })).toMatchObject({ identity: 'machine-7' });
    for (const shown of [{}, new TestAuthority('others').issue({ commonName: 'machine-7' })]) {
      expect(await known(mutual, { tls: { ca, ...shown } })).toMatchObject({ code: 'unauthenticated' });
    }
  });

  it('says when there are no certificates to connect with', async () => {
    const missing = () => {
      throw new Error('no such file');
    };
    expect(await known(server, { tls: missing })).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/cannot be used: no such file/),
    });
  });
});

describe('tokens', () => {
  it('N8: tell a server of ours who calls', async () => {
    const authenticate = bearerTokens({ secret: 'alice' });
    expect(await known({ authenticate }, { token: 'secret' })).toMatchObject({ identity: 'alice' });
    expect(await known({ authenticate }, { token: 'wrong' })).toMatchObject({ code: 'unauthenticated' });
    const given = ['wrong', 'secret'];
    expect(await known({ authenticate }, { token: () => given.shift() as string })).toMatchObject({
      identity: 'alice',
    });
  });
});

describe('Unix sockets', () => {
  it('N3: are reached by the same address that the server has', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cosi-'));
    const address = `unix:${join(folder, 'state.sock')}`;
    expect(await known({ address }, {}, () => address)).toMatchObject({ peer: expect.any(String) });
    expect(await known({ address }, { token: 'abc' })).toMatchObject({ peer: expect.any(String) });
    await rm(folder, { recursive: true });
  });
});
