import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Code, ConnectError } from '@connectrpc/connect';
import { type CosiError, defineResource, isUnauthenticated, Timestamp, UnavailableError } from '@cosi-ts/resource';
import { type CallContext, type Clock, type CoreState, filter, systemClock, wrapState } from '@cosi-ts/state';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { afterEach, describe, expect, it } from 'vitest';
import { connectChannel } from '../client/connect-channel.js';
import { resolveConnectStateOptions } from '../client/options.js';
import { remoteState } from '../client/remote-state.js';
import { TestAuthority } from '../testdata/certificates.js';
import { protocolEntries, protocols, type Target } from '../testdata/protocols.js';
import { recordingLogger } from '../testdata/recording-logger.js';
import { type Authenticator, certificateIdentity, firstOf, type UnknownCall } from './authenticator.js';
import { bearerTokens } from './bearer-tokens.js';
import type { ServeStateOptions } from './options.js';
import { type StateServer, serveState } from './serve-state.js';
import type { ServerTlsOptions } from './tls-options.js';

const Disk = defineResource<{ size: number }>({ type: 'Disks.test', namespace: 'a' });
const authority = new TestAuthority();
const foreign = new TestAuthority('foreign authority');
const loopback = authority.issueForLoopback();
const tls: ServerTlsOptions = { ...loopback, clientCa: authority.cert };
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error as CosiError,
  );

const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

/** A server that shows who is seen as the caller. */
async function serve(
  options: ServeStateOptions,
): Promise<{ server: StateServer; core: CoreState; seen: CallContext[] }> {
  const seen: CallContext[] = [];
  const core = new InMemoryState();
  const guarded = filter(core, (_access, context) => {
    seen.push(context);
  });
  const server = await serveState(guarded, { address: '127.0.0.1:0', ...options });
  opened.push(() => server.close());
  return { server, core, seen };
}

function connect(target: Target, protocol = protocols['gRPC over HTTP/2']) {
  const client = remoteState(connectChannel(protocol(target)), resolveConnectStateOptions(), () => {});
  opened.push(() => client.close());
  return client;
}

describe('authentication', () => {
  it.each(protocolEntries)(
    'N8: %s: whoever proves no identity is unauthenticated in every call',
    async (_name, protocol) => {
      const { server, core, seen } = await serve({ authenticate: bearerTokens({ secret: 'alice' }) });
      await core.create(Disk.new('x', { size: 1 }));
      for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: 'secret' }]) {
        const client = connect({ url: server.url, headers }, protocol);
        const state = wrapState(client);
        const calls = [
          () => state.get(Disk.at('x')),
          () => state.list(Disk.kind),
          () => state.create(Disk.new('y', { size: 1 })),
          () => state.update(Disk.new('x', { size: 2 })),
          () => state.destroy(Disk.at('x')),
          () => state.watch(Disk.at('x')),
          () => state.watchKind(Disk.kind),
          () => state.watchKindAggregated(Disk.kind),
          () => state.teardown(Disk.at('x')),
          () => state.teardownAndDestroy(Disk.at('x')),
        ];
        for (const call of calls) expect(await failure(call())).toMatchObject({ code: 'unauthenticated' });
      }
      expect(seen).toEqual([]);
      expect(await core.list(Disk.kind)).toHaveLength(1);
    },
  );

  it.each(protocolEntries)('N8: %s: the identity reaches the rule', async (_name, protocol) => {
    const { server, seen } = await serve({ authenticate: bearerTokens({ secret: 'alice' }) });
    const client = connect({ url: server.url, headers: { authorization: 'Bearer secret' } }, protocol);
    await client.create(Disk.new('x', { size: 1 }));
    const watch = await client.watchKind(Disk.kind, { bootstrapContents: true });
    expect((await watch.next()).value).toMatchObject({ type: 'created' });
    await watch.close();
    expect(seen).toEqual(Array(2).fill({ identity: 'alice', peer: expect.stringMatching(/^127\.0\.0\.1:\d+$/) }));
  });

  it.each(protocolEntries)('N8: %s over mutual TLS: the certificate names the caller', async (_name, protocol) => {
    const { server, seen } = await serve({ tls });
    const shows = authority.issue({ commonName: 'bob' });
    const client = connect({ url: server.url, ca: authority.cert, shows }, protocol);
    await client.create(Disk.new('x', { size: 1 }));
    expect(seen).toEqual([{ identity: 'bob', peer: expect.stringMatching(/^127\.0\.0\.1:/) }]);
  });

  it.each(protocolEntries)(
    'N8: %s: a certificate that is foreign, expired or absent is unauthenticated',
    async (_name, protocol) => {
      const { server, seen } = await serve({ tls });
      const rejected = {
        'self-signed|verify|issuer|DEPTH_ZERO|UNABLE': foreign.issue({ commonName: 'bob' }),
        EXPIRED: authority.issue({ commonName: 'bob', fromMs: -10_000_000, untilMs: -5_000_000 }),
        NOT_YET: authority.issue({ commonName: 'bob', fromMs: 5_000_000, untilMs: 10_000_000 }),
        'no certificate': undefined,
        'not known': authority.issue({ dns: ['bob'] }),
      };
      for (const [reason, shows] of Object.entries(rejected)) {
        const error = await failure(connect({ url: server.url, ca: authority.cert, shows }, protocol).list(Disk.kind));
        expect(isUnauthenticated(error)).toBe(true);
        expect(error?.message).toMatch(new RegExp(reason, 'i'));
      }
      expect(seen).toEqual([]);
    },
  );

  it('N8: a certificate that expires while its connection is open counts no more', async () => {
    let shiftMs = 0;
    const clock: Clock = {
      ...systemClock,
      now: () => new Timestamp(systemClock.now().seconds + shiftMs / 1000, 0),
    };
    const { server, seen } = await serve({ tls, clock, pingIntervalMs: 0 });
    const shows = authority.issue({ commonName: 'bob', untilMs: 3_600_000 });
    const client = connect({ url: server.url, ca: authority.cert, shows });
    await client.list(Disk.kind);
    shiftMs = 3_700_000;
    expect(await failure(client.list(Disk.kind))).toMatchObject({
      code: 'unauthenticated',
      message: expect.stringContaining('expired'),
    });
    expect(seen).toHaveLength(1);
  });

  it('N8: a required certificate is required beside a token', async () => {
    const authenticate = bearerTokens({ secret: 'alice' });
    const headers = { authorization: 'Bearer secret' };
    const { server: strict } = await serve({ tls: { ...tls, requireClientCert: true }, authenticate });
    expect(await failure(connect({ url: strict.url, ca: authority.cert, headers }).list(Disk.kind))).toMatchObject({
      code: 'unauthenticated',
    });
    const shows = authority.issue({ commonName: 'bob' });
    expect(await connect({ url: strict.url, ca: authority.cert, headers, shows }).list(Disk.kind)).toEqual([]);
    const { server, seen } = await serve({ tls, authenticate: firstOf(certificateIdentity(), authenticate) });
    await connect({ url: server.url, ca: authority.cert, headers }).list(Disk.kind);
    await connect({ url: server.url, ca: authority.cert, headers, shows }).list(Disk.kind);
    expect(seen.map(({ identity }) => identity)).toEqual(['alice', 'bob']);
  });

  it('N8: tokens can be replaced while the server runs', async () => {
    const authenticate = bearerTokens(new Map([['old', 'alice']]));
    const { server, seen } = await serve({ authenticate });
    const client = (token: string) => connect({ url: server.url, headers: { authorization: `bearer ${token}` } });
    await client('old').list(Disk.kind);
    authenticate.replace({ new: 'carol' });
    await client('new').list(Disk.kind);
    expect(isUnauthenticated(await failure(client('old').list(Disk.kind)))).toBe(true);
    expect(seen.map(({ identity }) => identity)).toEqual(['alice', 'carol']);
  });

  it('an authenticator sees the call, and what it throws refuses it', async () => {
    const calls: UnknownCall[] = [];
    const logger = recordingLogger();
    const answers: Authenticator[] = [
      () => '',
      async () => undefined,
      () => {
        throw new Error('the directory is in a bad mood');
      },
      () => Promise.reject(new ConnectError('nothing here', Code.NotFound)),
      () => {
        throw new UnavailableError('the directory does not answer');
      },
      () => Promise.reject(new ConnectError('not you', Code.PermissionDenied)),
    ];
    const { server } = await serve({
      tls,
      logger,
      authenticate(call) {
        calls.push(call);
        return (answers.shift() as Authenticator)(call);
      },
    });
    const shows = authority.issue({ commonName: 'bob', uris: ['spiffe://a/b'], dns: ['b.example'], emails: ['b@c'] });
    const client = connect({ url: server.url, ca: authority.cert, shows, headers: { 'x-who': 'me' } });
    const codes: (string | undefined)[] = [];
    while (answers.length > 0) codes.push((await failure(client.list(Disk.kind)))?.code);
    expect(codes).toEqual([...Array(4).fill('unauthenticated'), 'unavailable', 'denied']);
    expect(logger.lines.map(({ fields }) => (fields as { err: Error }).err.message)).toEqual([
      'the directory is in a bad mood',
      expect.stringContaining('nothing here'),
    ]);
    const [call] = calls;
    expect(call).toMatchObject({
      rpc: 'cosi.resource.State/List',
      peer: expect.stringMatching(/^127/),
      certificate: { commonName: 'bob', uris: ['spiffe://a/b'], dnsNames: ['b.example'], emails: ['b@c'] },
    });
    expect(call?.headers.get('x-who')).toBe('me');
  });

  it('N5: a caller that gives up is not authenticated any further', async () => {
    let tell: (signal: AbortSignal) => void = () => {};
    const asked = new Promise<AbortSignal>((resolve) => {
      tell = resolve;
    });
    const { server, seen } = await serve({
      authenticate({ signal }) {
        tell(signal);
        return new Promise(() => {});
      },
    });
    const controller = new AbortController();
    const listed = failure(connect({ url: server.url }).list(Disk.kind, { signal: controller.signal }));
    const signal = await asked;
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
    controller.abort();
    await aborted;
    await listed;
    expect(seen).toEqual([]);
  });
});

describe('Unix sockets', () => {
  it.each(protocolEntries)('N3: %s, with and without TLS', async (_name, protocol) => {
    const folder = mkdtempSync(join(tmpdir(), 'cosi-unix-'));
    opened.push(async () => rmSync(folder, { recursive: true }));
    const plain = await serve({ address: `unix:${join(folder, 'plain.sock')}` });
    const url = plain.server.url;
    expect(url).toBe(`unix:${folder}/plain.sock`);
    await connect({ url }, protocol).create(Disk.new('x', { size: 1 }));
    expect(plain.seen).toEqual([{ peer: url }]);
    const secure = await serve({ address: `unix:${join(folder, 'tls.sock')}`, tls });
    const shows = authority.issue({ commonName: 'bob' });
    await connect({ url: secure.server.url, ca: authority.cert, shows }, protocol).create(Disk.new('x', { size: 1 }));
    expect(secure.seen).toEqual([{ identity: 'bob', peer: secure.server.url }]);
  });
});
