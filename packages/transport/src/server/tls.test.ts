import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { defineResource } from '@cosi-ts/resource';
import { InMemoryState } from '@cosi-ts/state-inmem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectChannel } from '../client/connect-channel.js';
import { resolveConnectStateOptions } from '../client/options.js';
import { remoteState } from '../client/remote-state.js';
import { type Issued, otherKey, TestAuthority } from '../testdata/certificates.js';
import { ManualClock } from '../testdata/manual-clock.js';
import { protocols } from '../testdata/protocols.js';
import { recordingLogger } from '../testdata/recording-logger.js';
import { type StateServer, serveState } from './serve-state.js';

const Disk = defineResource({ type: 'Disks.test', namespace: 'a' });
const authority = new TestAuthority();
const first = authority.issueForLoopback();
const second = authority.issueForLoopback();

let folder: string;
const opened: (() => Promise<void>)[] = [];
const fileOf = (name: string) => join(folder, name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cosi-tls-'));
});

afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true });
});

function write({ cert, key }: Issued): void {
  writeFileSync(fileOf('cert.pem'), cert);
  writeFileSync(fileOf('key.pem'), key);
}

async function serve(options: Parameters<typeof serveState>[1]): Promise<StateServer> {
  const server = await serveState(new InMemoryState(), { address: '127.0.0.1:0', pingIntervalMs: 0, ...options });
  opened.push(() => server.close());
  return server;
}

/** The certificate that a new connection is shown, as PEM would hold it. */
async function shown({ address }: StateServer, options: tls.ConnectionOptions = {}): Promise<string> {
  const [host, port] = address.split(':') as [string, string];
  const socket = tls.connect({ host, port: Number(port), ca: authority.cert, ALPNProtocols: ['h2'], ...options });
  await once(socket, 'secureConnect');
  const { raw } = socket.getPeerCertificate();
  socket.destroy();
  return raw.toString('base64');
}

const der = ({ cert }: Issued) => cert.replace(/-----[A-Z ]+-----|\n/g, '');

describe('certificates', () => {
  const files = () => ({ certFile: fileOf('cert.pem'), keyFile: fileOf('key.pem') });

  it('N3: are replaced while the server runs when their files change', async () => {
    write(first);
    const clock = new ManualClock();
    const server = await serve({ tls: files(), clock });
    expect(await shown(server)).toBe(der(first));
    write(second);
    expect(await shown(server)).toBe(der(first));
    clock.advance(10_000);
    let now = der(first);
    while (now === der(first)) now = await shown(server);
    expect(now).toBe(der(second));
    await server.close();
    expect(clock.pending).toBe(0);
  });

  it('N3: are replaced at once when asked for, and open connections go on', async () => {
    write(first);
    const server = await serve({ tls: files() });
    const transport = protocols['gRPC over HTTP/2']({ url: server.url, ca: authority.cert });
    const client = remoteState(connectChannel(transport), resolveConnectStateOptions(), () => {});
    opened.push(() => client.close());
    const watch = await client.watchKind(Disk.kind);
    write(second);
    await server.reloadTls();
    expect(await shown(server)).toBe(der(second));
    await client.create(Disk.new('x', {}));
    expect((await watch.next()).value).toMatchObject({ type: 'created' });
    await server.reloadTls({ ...first });
    expect(await shown(server)).toBe(der(first));
  });

  it.each<[string, () => void]>([
    ['a key of another one', () => write({ cert: second.cert, key: otherKey() })],
    ['half a file', () => write({ cert: second.cert.slice(0, 300), key: second.key })],
    ['no file', () => rmSync(fileOf('cert.pem'))],
  ])('N3: stay as they are when the new ones are broken: %s', async (_what, breakThem) => {
    write(first);
    const clock = new ManualClock();
    const logger = recordingLogger();
    const server = await serve({ tls: files(), clock, logger });
    breakThem();
    clock.advance(10_000);
    await logger.written(1);
    expect(logger.lines[0]).toMatchObject({ level: 'error', message: expect.stringContaining('certificate') });
    expect(await shown(server)).toBe(der(first));
    await expect(server.reloadTls()).rejects.toThrow();
    for (let looks = 0; looks < 3; looks++) {
      while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
      clock.advance(10_000);
    }
    while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
    // It is reported once, not at each look.
    expect(logger.lines).toHaveLength(1);
    write(second);
    await server.reloadTls();
    expect(await shown(server)).toBe(der(second));
  });

  it('N3: that are broken in another way than before are reported, too', async () => {
    write(first);
    const clock = new ManualClock();
    const logger = recordingLogger();
    const server = await serve({ tls: files(), clock, logger });
    const look = async () => {
      while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
      clock.advance(10_000);
      while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
    };
    writeFileSync(files().keyFile, otherKey());
    await look();
    rmSync(files().keyFile);
    await look();
    await look();
    expect(logger.lines.map(({ fields }) => (fields as { err: NodeJS.ErrnoException }).err.code)).toEqual([
      expect.stringContaining('OSSL'),
      'ENOENT',
    ]);
    expect(await shown(server)).toBe(der(first));
  });

  it('N8: a client authority cannot be lost in a reload, nor be none', async () => {
    const server = await serve({ tls: { ...first, clientCa: authority.cert } });
    await expect(server.reloadTls({ ...second })).rejects.toThrow(/clientCa/);
    await expect(server.reloadTls({ ...second, clientCa: 'none' })).rejects.toThrow(/authority/);
    const error = serveState(new InMemoryState(), { address: '127.0.0.1:0', tls: { ...first, clientCa: '' } });
    await expect(error).rejects.toThrow(/authority/);
  });

  it('that cannot be used at the start are an error, and the port stays free', async () => {
    const tlsOptions = { cert: first.cert, key: otherKey() };
    await expect(serveState(new InMemoryState(), { address: '127.0.0.1:0', tls: tlsOptions })).rejects.toThrow();
    await expect(serveState(new InMemoryState(), { address: '127.0.0.1:0', tls: files() })).rejects.toMatchObject({
      code: 'ENOENT',
    });
    const plain = await serve({});
    await expect(plain.reloadTls()).rejects.toThrow(TypeError);
  });

  it('that have expired are warned of', async () => {
    const logger = recordingLogger();
    await serve({ tls: authority.issue({ dns: ['localhost'], fromMs: -2e9, untilMs: -1e9 }), logger });
    expect(logger.lines).toMatchObject([{ level: 'warn', message: expect.stringContaining('expired') }]);
  });
});

describe('TLS', () => {
  it('N7: a handshake that is none, or none of ours, harms nobody', async () => {
    const server = await serve({ tls: first });
    const [host, port] = server.address.split(':') as [string, string];
    for (const options of [{ maxVersion: 'TLSv1.1' }, { ca: new TestAuthority().cert }] as const) {
      await expect(shown(server, options)).rejects.toThrow();
    }
    const plain = await fetch(`http://${host}:${port}/`).catch((error: unknown) => error);
    expect(plain).toBeInstanceOf(Error);
    expect(await shown(server)).toBe(der(first));
  });

  it('N3: a client that agrees on nothing speaks HTTP/1.1', async () => {
    const server = await serve({ tls: first });
    const [host, port] = server.address.split(':') as [string, string];
    const socket = tls.connect({ host, port: Number(port), ca: authority.cert });
    await once(socket, 'secureConnect');
    expect(socket.alpnProtocol).toBe(false);
    socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 404 /);
  });

  /** Whether a second connection takes up the session of a first one. */
  async function resumes(server: StateServer): Promise<boolean> {
    const [host, port] = server.address.split(':') as [string, string];
    const options = { host, port: Number(port), ca: authority.cert, ALPNProtocols: ['http/1.1'] };
    let session: Buffer | undefined;
    const before = tls.connect(options);
    before.on('session', (given: Buffer) => {
      session = given;
    });
    await once(before, 'secureConnect');
    before.end('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    before.resume();
    await once(before, 'close');
    const after = tls.connect({ ...options, session });
    await once(after, 'secureConnect');
    const isReused = after.isSessionReused();
    after.destroy();
    return isReused;
  }

  it('N8: no session is resumed that would show no certificate', async () => {
    expect(await resumes(await serve({ tls: first }))).toBe(true);
    expect(await resumes(await serve({ tls: { ...first, clientCa: authority.cert } }))).toBe(false);
  });
});
