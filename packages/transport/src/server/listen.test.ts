import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInUse } from '@cosi-ts/resource';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addressText } from './address.js';
import { listen } from './listen.js';

let folder: string;
let path: string;
const servers: net.Server[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cosi-listen-'));
  path = join(folder, 'state.sock');
});

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
  rmSync(folder, { recursive: true });
});

async function listening(address: Parameters<typeof listen>[1]): Promise<net.Server> {
  const server = net.createServer((socket) => socket.on('error', () => {}).end('hello'));
  await listen(server, address);
  servers.push(server);
  return server;
}

async function greeting(): Promise<string> {
  const socket = net.connect(path);
  const [chunk] = await once(socket, 'data');
  socket.destroy();
  return String(chunk);
}

/** Leaves the file of a socket behind, as a process does that is killed. */
async function abandonedSocket(): Promise<void> {
  const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => console.log('listening'))`;
  const child = spawn(process.execPath, ['-e', script]);
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
}

const failure = (promise: Promise<unknown>) => promise.catch((error: unknown) => error as Error);

describe('listen', () => {
  it('N3: on a Unix socket, which is gone with the server', async () => {
    const server = await listening({ path });
    expect(await greeting()).toBe('hello');
    await new Promise((resolve) => server.close(resolve));
    expect(existsSync(path)).toBe(false);
  });

  it('N3: the socket file of a server that is gone is replaced', async () => {
    await abandonedSocket();
    expect(lstatSync(path).isSocket()).toBe(true);
    await listening({ path });
    expect(await greeting()).toBe('hello');
  });

  it('a Unix socket on which a server listens is in use, and that one goes on', async () => {
    await listening({ path });
    const error = await failure(listening({ path }));
    expect(isInUse(error)).toBe(true);
    expect(error).toMatchObject({ message: expect.stringContaining(path), cause: { code: 'EADDRINUSE' } });
    expect(await greeting()).toBe('hello');
  });

  it('a file that is no socket is left alone', async () => {
    writeFileSync(path, 'precious');
    expect(isInUse(await failure(listening({ path })))).toBe(true);
    expect(lstatSync(path).size).toBe(8);
  });

  it('a port on which something listens is in use, and the error names it', async () => {
    const { port } = (await listening({ host: '127.0.0.1', port: 0 })).address() as net.AddressInfo;
    const taken = { host: '127.0.0.1', port };
    const error = await failure(listening(taken));
    expect(isInUse(error)).toBe(true);
    expect((error as Error).message).toContain(addressText(taken));
    expect((error as Error).message).toMatch(/choose another address/);
  });

  it('what else goes wrong is told as it is', async () => {
    const homeless = await failure(listening({ path: join(folder, 'none', 'state.sock') }));
    expect(homeless).toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining(join(folder, 'none')),
    });
    expect(await failure(listening({ host: '192.0.2.1', port: 1 }))).toMatchObject({ code: 'EADDRNOTAVAIL' });
  });
});
